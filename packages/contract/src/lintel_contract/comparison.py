"""Compare two descriptions: operations, parameters, bodies, responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from lintel_contract.findings import MOST_STEPS, Change, Direction, Findings, Node
from lintel_contract.messages import Body, Content, Parameter, Response
from lintel_contract.operations import Operation, operations, security, servers
from lintel_contract.places import Document, Place
from lintel_contract.schemas import compare_schemas
from lintel_contract.security import Security


@dataclass(frozen=True, slots=True)
class Pair:
    """An operation in both descriptions, and where to record differences."""

    findings: Findings
    node: Node
    old: Operation
    new: Operation

    @property
    def sent(self) -> Direction:
        """Return the direction of its requests."""
        return Direction.RECEIVED if self.new.inverted else Direction.SENT

    def note(
        self,
        code: str,
        old: Place | None,
        new: Place | None,
        /,
        direction: Direction | None = None,
        **values: Any,
    ) -> None:
        """Record a change at a place of the operation."""
        where = (old, new)
        self.findings.add(self.node, code, where, direction or self.sent, **values)

    def note_here(self, code: str, **values: Any) -> None:
        """Record a change of the operation as a whole."""
        self.note(code, self.old.place, self.new.place, **values)


def compare(
    old: Document,
    new: Document,
    *,
    today: date | None = None,
    most_steps: int = MOST_STEPS,
) -> list[Change]:
    """Return the changes from one description to the next, breaking ones first.

    ``today`` decides whether the announced end of an operation has passed; by default the date in
    UTC. Raises DocumentError for descriptions that are too large to compare.
    """
    findings = Findings(old, new, most_steps)
    before, after = operations(old), operations(new)
    for key in dict.fromkeys([*before, *after]):
        node = findings.node(key, None, lambda node: None)
        if key not in after:
            node.operation = before[key].label
            _note_removed(findings, node, before[key], today or datetime.now(UTC).date())
        elif key not in before:
            node.operation = after[key].label
            findings.add(node, "operation-added", (None, after[key].place), Direction.SENT)
        else:
            node.operation = after[key].label
            _compare_operation(Pair(findings, node, before[key], after[key]))
    _compare_documents(findings)
    return findings.finish()


def _note_removed(findings: Findings, node: Node, operation: Operation, today: date) -> None:
    code, sunset = "operation-removed", operation.sunset
    if operation.is_deprecated and sunset is None:
        code = "deprecated-operation-removed"
    elif sunset is not None:
        reached = sunset <= today.isoformat()
        code = f"operation-removed-{'after' if reached else 'before'}-sunset"
    findings.add(node, code, (operation.place, None), Direction.SENT, old=sunset)


def _compare_operation(pair: Pair) -> None:
    _compare_lifetime(pair)
    _compare_names(pair)
    _compare_servers(pair)
    _compare_parameters(pair)
    _compare_bodies(pair)
    _compare_responses(pair)
    Security(pair.findings, pair.node).compare(
        (pair.old.place, security(pair.findings.old, pair.old)),
        (pair.new.place, security(pair.findings.new, pair.new)),
    )


def _compare_lifetime(pair: Pair) -> None:
    if pair.old.is_deprecated != pair.new.is_deprecated:
        code = "operation-deprecated" if pair.new.is_deprecated else "operation-undeprecated"
        pair.note_here(code)
    old, new = pair.old.sunset, pair.new.sunset
    if old == new:
        return
    if old is None or new is None:
        pair.note_here("sunset-added" if old is None else "sunset-removed", old=old, new=new)
    else:
        pair.note_here("sunset-earlier" if new < old else "sunset-later", old=old, new=new)


def _compare_names(pair: Pair) -> None:
    old, new = pair.old.identifier, pair.new.identifier
    if old != new:
        change = "added" if old is None else "removed" if new is None else "changed"
        pair.note_here(f"operation-id-{change}", old=old, new=new)
    for tag in pair.old.tags:
        if tag not in pair.new.tags:
            pair.note_here("tag-removed", old=tag)
    for tag in pair.new.tags:
        if tag not in pair.old.tags:
            pair.note_here("tag-added", new=tag)
    for before, after in zip(pair.old.names, pair.new.names, strict=False):
        if before != after:
            pair.note_here("path-parameter-renamed", old=before, new=after)


def _compare_servers(pair: Pair) -> None:
    old = servers(pair.findings.old, pair.old)
    new = servers(pair.findings.new, pair.new)
    _note_servers(pair.findings, pair.node, (pair.old.place, old), (pair.new.place, new))


def _note_servers(
    findings: Findings, node: Node, old: tuple[Place, list[str]], new: tuple[Place, list[str]]
) -> None:
    where = (old[0].at("servers"), new[0].at("servers"))
    for url in old[1]:
        if url not in new[1]:
            findings.add(node, "server-removed", where, Direction.SENT, old=url)
    for url in new[1]:
        if url not in old[1]:
            findings.add(node, "server-added", where, Direction.SENT, new=url)


def _compare_parameters(pair: Pair) -> None:
    old, new = dict(pair.old.parameters), dict(pair.new.parameters)
    for key in [key for key in old if key not in new]:
        moved = [other for other in new if other[1] == key[1] and other not in old]
        if moved:
            new[key] = new.pop(moved[0])
    for key, parameter in old.items():
        if key in new:
            _compare_parameter(pair, parameter, new[key])
        else:
            code = "parameter-removed"
            code = f"deprecated-{code}" if parameter.is_deprecated else code
            pair.note(code, parameter.place, pair.new.place, name=parameter.title)
    for key, parameter in new.items():
        if key not in old:
            code = "required-parameter-added" if parameter.is_required else "parameter-added"
            pair.note(code, pair.old.place, parameter.place, name=parameter.title)


def _compare_parameter(pair: Pair, old: Parameter, new: Parameter) -> None:
    where = (old.place, new.place)
    if old.location != new.location:
        name = f"parameter {new.name}"
        pair.note("parameter-moved", *where, name=name, old=old.location, new=new.location)
        return
    if old.is_required != new.is_required:
        code = "parameter-became-required" if new.is_required else "parameter-became-optional"
        pair.note(code, *where, name=new.title)
    if new.is_deprecated and not old.is_deprecated:
        pair.note("parameter-deprecated", *where, name=new.title)
    if old.allows_empty != new.allows_empty:
        code = "empty-value-allowed" if new.allows_empty else "empty-value-refused"
        pair.note(code, *where, name=new.title)
    _compare_values(pair, old, new, pair.sent)


def _compare_values(pair: Pair, old: Parameter, new: Parameter, direction: Direction) -> None:
    """Compare how the values of a parameter or header are written, and their schemas."""
    same_kind = old.schema.get("type") == new.schema.get("type")
    if old.style != new.style and same_kind:
        where = (old.place, new.place)
        code = "parameter-style-changed"
        pair.note(code, *where, direction, name=new.title, old=old.style, new=new.style)
    compare_schemas(pair.findings, pair.node, (old.schema,), (new.schema,), direction)


def _compare_bodies(pair: Pair) -> None:
    old, new = pair.old.body, pair.new.body
    if old is not None and new is not None:
        _compare_both_bodies(pair, old, new)
    elif new is not None:
        code = "required-body-added" if new.is_required else "body-added"
        pair.note(code, pair.old.place, new.place)
    elif old is not None:
        pair.note("body-removed", old.place, pair.new.place)


def _compare_both_bodies(pair: Pair, old: Body, new: Body) -> None:
    if old.is_required != new.is_required:
        code = "body-became-required" if new.is_required else "body-became-optional"
        pair.note(code, old.place, new.place)
    _compare_contents(pair, (old.place, old.content), (new.place, new.content), pair.sent)


Contents = tuple[Place, Mapping[str, Content]]


def _compare_contents(pair: Pair, old: Contents, new: Contents, direction: Direction) -> None:
    for name, content in old[1].items():
        twin = _covering(name, new[1])
        if twin is not None:
            _compare_content(pair, name, content, twin, direction)
        elif not _covered_by_parts(name, new[1]):
            pair.note("media-type-removed", content.place, new[0], direction, name=name)
    for name, content in new[1].items():
        if _covering(name, old[1]) is None and not _covered_by_parts(name, old[1]):
            pair.note("media-type-added", old[0], content.place, direction, name=name)


def _covering(name: str, contents: Mapping[str, Content]) -> Content | None:
    """Return the content of a media type, or of the range that covers it."""
    for media_range in (name, f"{name.partition('/')[0]}/*", "*/*"):
        if media_range in contents:
            return contents[media_range]
    return None


def _covered_by_parts(name: str, contents: Mapping[str, Content]) -> bool:
    """Return whether a range is now listed as separate types."""
    prefix = name.removesuffix("*").removesuffix("*/")
    return name.endswith("*") and any(media_type.startswith(prefix) for media_type in contents)


def _compare_content(
    pair: Pair, name: str, old: Content, new: Content, direction: Direction
) -> None:
    if old.encoding != new.encoding:
        pair.note("encoding-changed", old.place, new.place, direction, name=name)
    for before, after in zip(old.schemas, new.schemas, strict=False):
        compare_schemas(pair.findings, pair.node, (before,), (after,), direction)


def _compare_responses(pair: Pair) -> None:
    received = pair.sent.flipped
    for status, response in pair.old.responses.items():
        twin = _answering(status, pair.new.responses)
        if twin is not None:
            _compare_response(pair, response, twin, received)
        elif not _is_written_out(status, pair.new.responses):
            code = f"{_kind(status)}-removed"
            pair.note(code, response.place, pair.new.place, received, name=status)
    for status, response in pair.new.responses.items():
        is_described = _answering(status, pair.old.responses) is not None
        if not is_described and not _is_written_out(status, pair.old.responses):
            code = f"{_kind(status)}-added"
            pair.note(code, pair.old.place, response.place, received, name=status)


def _answering(status: str, responses: Mapping[str, Response]) -> Response | None:
    """Return the response of a status, else of its range (``4XX``), or the default for errors."""
    for key in (status, f"{status[:1]}XX"):
        if key in responses:
            return responses[key]
    return responses.get("DEFAULT") if _kind(status) == "error" else None


def _is_written_out(status: str, responses: Mapping[str, Response]) -> bool:
    """Return whether a range of statuses is now listed as single ones."""
    return status.endswith("XX") and any(other[:1] == status[0] for other in responses)


def _kind(status: str) -> str:
    return "success" if status[:1] in ("1", "2", "3") else "error"


def _compare_response(pair: Pair, old: Response, new: Response, received: Direction) -> None:
    _compare_contents(pair, (old.place, old.content), (new.place, new.content), received)
    _compare_headers(pair, old, new, received)
    _compare_links(pair, old, new, received)


def _compare_headers(pair: Pair, old: Response, new: Response, received: Direction) -> None:
    for name, header in old.headers.items():
        if name not in new.headers:
            code = "required-header-removed" if header.is_required else "header-removed"
            pair.note(code, header.place, new.place, received, name=header.name)
            continue
        twin = new.headers[name]
        if header.is_required != twin.is_required:
            code = "header-became-required" if twin.is_required else "header-became-optional"
            pair.note(code, header.place, twin.place, received, name=twin.name)
        _compare_values(pair, header, twin, received)
    for name, header in new.headers.items():
        if name not in old.headers:
            pair.note("header-added", old.place, header.place, received, name=header.name)


def _compare_links(pair: Pair, old: Response, new: Response, received: Direction) -> None:
    for name, place in old.links.items():
        if name not in new.links:
            pair.note("link-removed", place, new.place, received, name=name)
        elif place.value != new.links[name].value:
            pair.note("link-changed", place, new.links[name], received, name=name)
    for name in new.links.keys() - old.links.keys():
        pair.note("link-added", old.place, new.links[name], received, name=name)


def _compare_documents(findings: Findings) -> None:
    """Compare the parts beside the operations."""
    node = findings.node("document", None, _nothing)
    old, new = findings.old, findings.new
    _note_servers(findings, node, (old.root, servers(old)), (new.root, servers(new)))
    names = _component_names(new)
    for name, place in _component_names(old).items():
        if name not in names:
            findings.add(node, "component-removed", (place, None), Direction.SENT, name=name)


def _nothing(node: Node) -> None:
    """Do nothing: a node that is filled at once has nothing left to compare."""


def _component_names(document: Document) -> dict[str, Place]:
    keys = ("definitions",) if document.is_swagger else ("components", "schemas")
    return document.root.members(*keys)

"""Compare how calls authenticate: schemes are compared by content, not by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lintel_contract.findings import Direction, Findings, Node
from lintel_contract.places import Document, Place
from lintel_contract.shapes import identity

Alternative = Mapping[str, frozenset[str]]
Requirements = tuple[Place, Sequence[Alternative]]

#: What a client must know about a scheme; other changes are reported separately.
_ESSENCE = ("type", "in", "name", "scheme")

#: URLs that clients call.
_ADDRESSES = ("authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl")

#: Kinds of OpenAPI 2.0 in terms of later versions.
_KINDS = {"basic": {"type": "http", "scheme": "basic"}}


@dataclass(frozen=True, slots=True)
class Security:
    """Records differences between two lists of alternatives."""

    findings: Findings
    node: Node

    def compare(self, old: Requirements, new: Requirements) -> None:
        """Compare the authentication alternatives of an operation."""
        before = _by_essence(self.findings.old, old[1])
        after = _by_essence(self.findings.new, new[1])
        self._compare_openness((old[0], before), (new[0], after))
        if before and after:
            self._compare_alternatives((old[0], before), (new[0], after))
        for key in before.keys() & after.keys():
            self._compare_schemes(before[key], after[key])

    def _note(self, code: str, where: tuple[Place, Place], **values: object) -> None:
        self.findings.add(self.node, code, where, Direction.SENT, **values)

    def _compare_openness(
        self, old: tuple[Place, dict[str, Alternative]], new: tuple[Place, dict[str, Alternative]]
    ) -> None:
        """Compare whether credentials are needed at all."""
        where = (old[0].at("security"), new[0].at("security"))
        both = (old[1], new[1])
        was_open, is_open = (not alternatives or "" in alternatives for alternatives in both)
        named = [alternatives for alternatives in both if alternatives.keys() - {""}]
        if was_open and not is_open:
            code = "anonymous-refused" if len(named) == 2 else "security-added"
            self._note(code, where, new=_names(new[1]))
        elif is_open and not was_open:
            self._note("anonymous-allowed" if len(named) == 2 else "security-removed", where)

    def _compare_alternatives(
        self, old: tuple[Place, dict[str, Alternative]], new: tuple[Place, dict[str, Alternative]]
    ) -> None:
        where = (old[0].at("security"), new[0].at("security"))
        for key, alternative in old[1].items():
            if key and key not in new[1] and new[1].keys() - {""}:
                self._note("security-alternative-removed", where, old=" and ".join(alternative))
        for key, alternative in new[1].items():
            if key and key not in old[1] and old[1].keys() - {""}:
                self._note("security-alternative-added", where, new=" and ".join(alternative))

    def _compare_schemes(self, old: Alternative, new: Alternative) -> None:
        pairs = zip(
            _sorted_schemes(self.findings.old, old),
            _sorted_schemes(self.findings.new, new),
            strict=True,
        )
        for (before, old_place), (after, new_place) in pairs:
            where = (old_place, new_place)
            if before != after:
                self._note("security-scheme-renamed", where, old=before, new=after)
            if _addresses(old_place) != _addresses(new_place):
                self._note("security-scheme-changed", where, name=after)
            for scope in sorted(new[after] - old[before]):
                self._note("security-scope-added", where, name=after, new=scope)
            for scope in sorted(old[before] - new[after]):
                self._note("security-scope-removed", where, name=after, old=scope)


def _by_essence(document: Document, alternatives: Sequence[Alternative]) -> dict[str, Alternative]:
    """Return the alternatives by the content of their schemes; "" for anonymous calls."""
    return {
        " ".join(sorted(_essence(document, name) for name in alternative)): alternative
        for alternative in alternatives
    }


def _names(alternatives: Mapping[str, Alternative]) -> str:
    return " or ".join(
        " and ".join(alternative) for key, alternative in alternatives.items() if key
    )


def _scheme(document: Document, name: str) -> Place:
    if document.is_swagger:
        return document.follow(document.root.at("securityDefinitions", name))
    return document.follow(document.root.at("components", "securitySchemes", name))


def _essence(document: Document, name: str) -> str:
    place = _scheme(document, name)
    if place.value is None:
        return name
    members = {key: place.get(key, str, "") for key in _ESSENCE}
    members.update(_KINDS.get(members["type"], {}))
    if members["type"] in ("oauth2", "openIdConnect", "mutualTLS"):
        members["scheme"] = ""
    return identity({key: value.lower() for key, value in members.items() if value})


def _sorted_schemes(document: Document, alternative: Alternative) -> list[tuple[str, Place]]:
    names = sorted(alternative, key=lambda name: _essence(document, name))
    return [(name, _scheme(document, name)) for name in names]


def _addresses(place: Place) -> list[object]:
    flows = [place, *place.members("flows").values()]
    return [flow.get(key) for flow in flows for key in (*_ADDRESSES, "openIdConnectUrl")]

"""A module of TypeScript whose client checks parameters and results with zod."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lintel_client.parameters import distinguished
from lintel_client.stubs.declarations import TypeWriter, literal
from lintel_client.stubs.typescript import links_of, parameters_type, typescript_types
from lintel_client.stubs.zod import ZodWriter, object_schema, union_schema
from lintel_document.controls import escaped_json
from lintel_document.document import Document
from lintel_document.fields import Field
from lintel_document.links import Link
from lintel_document.schemas import Schema

__all__ = ["typescript_schemas"]

UNCHECKED = """\
// Compilers believe what stands here: checking a thousand operations takes them a minute.
// @ts-nocheck
"""
HEADER = 'import { z } from "zod";\n'
LENGTHS = """\
/** Return a check of the number of characters, which JSON Schema counts by code points. */
function lengths(least: number, most: number): (text: string) => boolean {
  return (text) => text.length >= least && [...text].length >= least && [...text].length <= most;
}
"""
MATCHES = """\
/** Return a check of a pattern; one that JavaScript does not know lets every text through. */
function matches(pattern: string): (text: string) => boolean {
  try {
    const expression = new globalThis.RegExp(pattern, "u");
    return (text) => expression.test(text);
  } catch {
    return () => true;
  }
}
"""
CHECKED = """\
/**
 * Return a client that checks parameters before it sends them, and results before it returns them.
 *
 * Its `action` rejects with a ZodError for what the description does not allow.
 */
export function checked(client: Client): ApiClient {
  const known = new globalThis.Map(globalThis.Object.entries<Operation<any, any>>(operations));
  const nameOf = (keys: readonly string[]) =>
    keys.some((key) => key.includes(" ")) ? globalThis.JSON.stringify(keys) : keys.join(" ");
  const action = async (
    document: Document,
    keys: string | readonly (string | number)[],
    params: any = {},
    options: ActionOptions = {},
  ) => {
    const path = (typeof keys === "string" ? [keys] : keys).map((key) => `${key}`);
    const operation = known.get(nameOf(path));
    operation?.params.parse(params);
    const result = await client.action(document, keys, params, options);
    operation?.result.parse(result);
    return result;
  };
  const get = (target: any, name: string | symbol) => {
    const found = name === "action" ? action : target[name];
    return typeof found === "function" ? found.bind(target) : found;
  };
  return new globalThis.Proxy<any>(client, { get });
}
"""


def typescript_schemas(document: Document) -> str:
    """Return a module with the types of ``typescript_types``, and their schemas for zod 4.

    Each named schema is a constant of the name of its type. ``operations`` has the parameters and
    the result of each operation by its keys; ``checked(client)`` is an ApiClient that applies them.
    """
    types = TypeWriter()
    writer = ZodWriter(types)
    links = {_key(keys): link for keys, link in links_of(document)}
    listed = {key: _operation(writer, link) for key, link in links.items()}
    typed = {key: _operation_type(types, link) for key, link in links.items()}
    head, _, rest = typescript_types(document, types).partition("\n")
    code = "\n".join([*writer.declarations(), "", *_table(typed, listed)])
    helpers = [each for each in (LENGTHS, MATCHES) if f"{_name(each)}(" in code]
    return escaped_json(
        "\n".join([UNCHECKED + head, HEADER, *helpers, code, CHECKED, rest.lstrip("\n")])
    )


def _name(helper: str) -> str:
    found = re.search(r"function (\w+)", helper)
    return found[1] if found else ""


def _table(typed: Mapping[str, str], listed: Mapping[str, str]) -> Iterator[str]:
    yield "interface Operation<Params, Result> {"
    yield "  readonly params: z.ZodType<Params>;"
    yield "  readonly result: z.ZodType<Result>;"
    yield "}"
    yield ""
    yield "/** The parameters and the result of each operation, by its keys. */"
    yield "export const operations: {"
    yield from (f"  readonly [{key}]: {text};" for key, text in typed.items())
    yield "} = {"
    yield from (f"  [{key}]: {text}," for key, text in listed.items())
    yield "};"
    yield ""


def _key(keys: Sequence[str]) -> str:
    name = " ".join(keys)
    if any(" " in key for key in keys):
        name = json.dumps(list(keys), ensure_ascii=False, separators=(",", ":"))
    return literal(name)


def _operation(writer: ZodWriter, link: Link) -> str:
    return f"{{ params: {_parameters(writer, link)}, result: {_result(writer, link)} }}"


def _operation_type(types: TypeWriter, link: Link) -> str:
    results = list(dict.fromkeys(_result_types(types, link)))
    result = "unknown" if "unknown" in results or not results else " | ".join(results)
    return f"Operation<{parameters_type(types, link)}, {result}>"


def _parameters(writer: ZodWriter, link: Link) -> str:
    """Return the parameters: those of a body either one by one, or all in one."""
    link = distinguished(link)
    whole = next((field for field in link.fields if field.location == "body"), None)
    in_form = [field for field in link.fields if field.location == "form"]
    others = [field for field in link.fields if field is not whole and field not in in_form]
    alone = [whole] if whole and not in_form else []
    texts = [_members(writer, [*others, *in_form, *alone])]
    if whole and in_form:
        texts.append(_members(writer, [*others, whole], whole))
    return union_schema(texts)


def _members(writer: ZodWriter, fields: Iterable[Field], given: Field | None = None) -> str:
    return object_schema(
        {
            field.name: (writer.of(field.schema), field.required or field is given)
            for field in fields
        }
    )


def _result(writer: ZodWriter, link: Link) -> str:
    """Return what the responses of success may contain; null where they have no content."""
    texts = []
    for schemas, left in _contents(link):
        texts += [*map(writer.of, schemas), *([f"z.{left}()"] if left else [])]
    return union_schema(texts)


def _result_types(types: TypeWriter, link: Link) -> Iterator[str]:
    for schemas, left in _contents(link):
        yield from map(types.type_of, schemas)
        if left:
            yield left


def _contents(link: Link) -> Iterator[tuple[list[Schema | None], str]]:
    """Yield the schemas in JSON of each success, and what else there may be: unknown or null."""
    answers = [each for each in link.answers if each.status.startswith("2")]
    for answer in answers or [each for each in link.answers if each.status == "default"]:
        in_json = [kind for kind in answer.content if re.search("[/+]json", kind)]
        left = "unknown" if len(in_json) < len(answer.content) else ""
        if not answer.content or answer.status == "204":
            left = "null"
        yield [answer.content[kind] for kind in in_json], left

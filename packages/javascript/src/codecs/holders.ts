/** The schemas of a document that have links, the group of the links of each, and what references lead to. */
import { isPlain } from "../document.js";

export type Raw = Readonly<Record<string, unknown>>;

/** How many references may lead to one another. */
const MAX_REFERENCES = 32;
/** Keywords whose value maps names to schemas; the names are part of the group. */
const MAPS = ["properties", "patternProperties", "definitions", "$defs", "dependentSchemas"];
/** Keywords whose value is data, which contains no schemas. */
const DATA = ["enum", "const", "default", "example", "examples", "required", "type"];

/** A schema with `links`, its place, and the names on the path to it. */
export interface Holder {
  readonly schema: Raw;
  readonly place: string;
  readonly names: readonly string[];
}

/** Finds schemas by JSON pointer (RFC 6901), by anchor, and by their own `$id`; nothing is fetched. */
export class References {
  #named: ReadonlyMap<string, Raw> | undefined;

  constructor(readonly root: Raw) {}

  /** Return what references lead to, or {} and why it cannot be found; a node with the member `end` is an end. */
  target(schema: unknown, end = ""): [found: unknown, problem: string] {
    let found: unknown = schema;
    for (let step = 0; step < MAX_REFERENCES; step++) {
      const reference = object(found)["$ref"];
      if (typeof reference !== "string" || (end && end in object(found))) return [found, ""];
      found = this.#at(reference);
      if (!isPlain(found)) return [{}, `The reference ${reference.slice(0, 200)} leads to no schema in this document`];
    }
    return [{}, `More than ${MAX_REFERENCES} references lead to one another`];
  }

  #at(reference: string): unknown {
    const [resource = "", fragment = ""] = reference.split(/#(.*)/s);
    const found = resource ? this.#byName(plain(resource)) : this.root;
    if (!fragment) return found;
    return fragment.startsWith("/") ? pointed(found, fragment) : this.#byName(`#${fragment}`);
  }

  /** Return the schema of an identifier or an anchor; the first of a name counts. */
  #byName(name: string): Raw | undefined {
    this.#named ??= namedSchemas(this.root);
    return this.#named.get(name);
  }
}

/** Return each schema with links once, those in the root's properties first, then by place. */
export function findHolders(root: Raw, references: References): Holder[] {
  const found = new Map<Raw, Holder>();
  for (const holder of candidates(root, references)) {
    if ("links" in holder.schema && !found.has(holder.schema)) found.set(holder.schema, holder);
  }
  return [...found.values()];
}

function* candidates(root: Raw, references: References): Iterable<Holder> {
  yield { schema: root, place: "#", names: [] };
  for (const [name, schema] of Object.entries(object(root["properties"]))) {
    const [found, problem] = references.target(schema, "links");
    if (!problem && isPlain(found)) yield { schema: found, place: `#/properties/${name}`, names: [name] };
  }
  yield* below(root);
}

/** Return all objects below a schema that may be schemas, in the order of the file. */
function* below(root: Raw): Iterable<Holder> {
  const waiting: [node: unknown, place: string, names: readonly string[]][] = [[root, "#", []]];
  while (waiting.length) {
    const [node, place, names] = waiting.pop()!;
    if (isPlain(node)) yield { schema: node, place, names };
    const inner = Array.isArray(node) ? node.map((item, at): [unknown, string, readonly string[]] => [item, `${place}/${at}`, names]) : [...members(node, place, names)];
    waiting.push(...inner.reverse());
  }
}

function* members(schema: unknown, place: string, names: readonly string[]): Iterable<[unknown, string, readonly string[]]> {
  for (const [keyword, value] of Object.entries(object(schema))) {
    if (MAPS.includes(keyword) && isPlain(value)) {
      for (const [name, inner] of Object.entries(value)) yield [inner, `${place}/${keyword}/${name}`, [...names, name]];
    } else if (!DATA.includes(keyword)) yield [value, `${place}/${keyword}`, names];
  }
}

function namedSchemas(root: Raw): Map<string, Raw> {
  const found = new Map<string, Raw>();
  for (const node of objects(root)) {
    for (const [keyword, prefix] of [["$id", ""], ["id", ""], ["$anchor", "#"]] as const) {
      const name = node[keyword];
      if (typeof name === "string" && !found.has(prefix + plain(name))) found.set(prefix + plain(name), node);
    }
  }
  return found;
}

function* objects(root: unknown): Iterable<Raw> {
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (isPlain(node)) yield node;
    if (typeof node === "object" && node !== null) waiting.push(...Object.values(node).reverse());
  }
}

function plain(name: string): string {
  return name.replace(/#$/, "").replace(/^\//, "");
}

function pointed(root: unknown, fragment: string): unknown {
  const steps = unquoted(fragment).split("/").slice(1).map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  return steps.reduce<unknown>((node, step) => ((isPlain(node) || Array.isArray(node)) && Object.hasOwn(node, step) ? (node as Raw)[step] : undefined), root);
}

export function unquoted(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export function object(value: unknown): Raw {
  return isPlain(value) ? value : {};
}

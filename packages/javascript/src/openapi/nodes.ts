import { isPlain } from "../document.js";
import { LintelError } from "../errors.js";
import { resolve, withoutFragment } from "../urls.js";

export type Node = Readonly<Record<string, unknown>>;

/** A description that is being read: its tree, its URL, and the issues found. */
export interface Description {
  readonly root: Node;
  readonly url: string;
  /** Whether it is of version 2.0. */
  readonly isOld: boolean;
  readonly issues: string[];
  /** Where references start, and the files that they lead to, with references resolved. */
  readonly source?: string | undefined;
  readonly files?: ReadonlyMap<string, File> | undefined;
}

/** A further file of a description, or why it is none. */
export interface File {
  readonly root: unknown;
  readonly problem: string;
}

export function mapping(value: unknown): Node {
  return isPlain(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Return the JSON pointer (RFC 6901) of a place below another. */
export function pointer(at: string, ...keys: (string | number)[]): string {
  return [at, ...keys.map((key) => String(key).replace(/~/g, "~0").replace(/\//g, "~1"))].join("/");
}

/** A reference that cannot be followed; the message says which and why. */
export class BrokenReference extends Error {}

/**
 * Return the mapping that a node refers to, through any number of references within the description and the
 * files that were loaded for it; nothing is fetched. Throws a BrokenReference, and a LintelError for a chain of more than 64.
 */
export function followed(description: Description, node: unknown, kind: string): Node {
  const seen: string[] = [];
  let found = node;
  while (isPlain(found) && typeof found["$ref"] === "string") {
    const reference = found["$ref"];
    if (seen.length > 64) throw new LintelError("parse", `${seen[0]} refers to more than 64 others in a row`);
    if (seen.includes(reference)) {
      throw new BrokenReference(`Circular reference: ${[...seen, reference].join(" → ")}`);
    }
    seen.push(reference);
    found = pointed(description, reference);
  }
  if (!isPlain(found)) throw new BrokenReference(`A ${kind} must be an object`);
  return found;
}

function pointed({ root, url, source = url, files }: Description, reference: string): unknown {
  const target = withoutFragment(resolve(source, reference));
  const isOwn = reference.startsWith("#") || (source !== "" && target === withoutFragment(source));
  const file = isOwn ? { root, problem: "" } : files?.get(target);
  if (!file) throw new BrokenReference(`The reference to ${reference} is not followed: it points outside the description`);
  if (file.problem) throw new BrokenReference(file.problem);
  let node: unknown = file.root;
  for (const step of steps(reference)) {
    const isThere = (isPlain(node) || Array.isArray(node)) && Object.hasOwn(node, step);
    if (!isThere) throw new BrokenReference(`The reference ${reference} leads to nothing: no ${JSON.stringify(step)} there`);
    node = (node as Node)[step];
  }
  return node;
}

function steps(reference: string): string[] {
  const parts = reference.replace(/^[^#]*/, "").split("/").slice(1);
  return parts.map((part) => unquoted(part).replace(/~1/g, "/").replace(/~0/g, "~"));
}

function unquoted(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

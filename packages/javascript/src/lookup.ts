import { Document, DocumentNode, type Key, child } from "./document.js";
import { LintelError } from "./errors.js";
import { Link } from "./link.js";
import { extras } from "./extras.js";

/** A link, the innermost document that contains it, and the path of that document. */
export interface FoundLink {
  readonly link: Link;
  readonly document: Document;
  readonly documentPath: readonly Key[];
}

/** Return the link at a path of keys; one string is one key. Throws a LintelError with the code "lookup". */
export function findLink(document: Document, keys: readonly Key[] | string): FoundLink {
  const path = typeof keys === "string" ? [keys] : keys;
  if (!(document instanceof DocumentNode) || !Array.isArray(path)) {
    throw new TypeError("A call needs a document and a list of keys");
  }
  let [node, holder, length]: [unknown, Document, number] = [document, document, 0];
  path.forEach((key, depth) => {
    node = step(node, path.slice(0, depth), key);
    if (node instanceof Document) [holder, length] = [node, depth + 1];
  });
  if (!(node instanceof Link)) throw new LintelError("lookup", notALink(node, path));
  return { link: node, document: holder, documentPath: path.slice(0, length) };
}

function step(node: unknown, path: readonly Key[], key: Key): unknown {
  const found = child(node, key);
  if (found !== undefined) return found;
  if (Array.isArray(node)) throw new LintelError("lookup", `${placeOf(path)} has ${node.length} items, none at ${key}`);
  if (!(node instanceof DocumentNode)) {
    throw new LintelError("lookup", `${placeOf(path)} has no keys, so ${JSON.stringify(key)} leads nowhere`);
  }
  const near = extras.near(String(key), node.keys());
  const known = node.keys().map((name) => name || '""').join(", ") || "none";
  const hint = near.length ? `Did you mean ${near.join(" or ")}?` : `It has: ${known}`;
  throw new LintelError("lookup", `${placeOf(path)} has no key ${JSON.stringify(key)}. ${hint}`);
}

function notALink(node: unknown, path: readonly Key[]): string {
  const links = node instanceof DocumentNode ? [...node.links.keys()] : [];
  const hint = links.length ? ` Its links are: ${links.join(", ")}` : "";
  return `${placeOf(path)} is not a link.${hint}`;
}

function placeOf(path: readonly Key[]): string {
  return path.length ? `"${path.map((key) => String(key) || '""').join(" > ")}"` : "The document";
}

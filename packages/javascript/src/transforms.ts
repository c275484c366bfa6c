import { Document } from "./document.js";
import type { FoundLink } from "./lookup.js";
import { NO_CONTENT } from "./responses.js";

/**
 * Return the result of a call as its caller sees it.
 *
 * A link inside an embedded document changes that document in place when its transform is "inplace", or when
 * it has none and its action is put, patch or delete: a returned document replaces the embedded one, no
 * content removes it, and the result is the whole document. Otherwise the result is returned as it is.
 */
export function applyTransform(document: Document, found: FoundLink, result: unknown): unknown {
  if (found.documentPath.length && isInPlace(found)) {
    if (result === NO_CONTENT) return document.deleteIn(found.documentPath);
    if (result instanceof Document) return document.setIn(found.documentPath, result);
  }
  return result === NO_CONTENT ? null : result;
}

function isInPlace({ link }: FoundLink): boolean {
  return link.transform ? link.transform === "inplace" : ["put", "patch", "delete"].includes(link.action.toLowerCase());
}

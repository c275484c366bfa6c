import type { Link } from "../link.js";
import { isSafe, readsSafe } from "../methods.js";

/** Return a relation without its CURIE prefix, or the last segment of a URL. */
export function shortRelation(relation: string): string {
  const isURL = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(relation);
  const tail = isURL ? relation.replace(/[/#]+$/, "").split(/[/#]/).pop() : relation.slice(relation.indexOf(":") + 1);
  return tail || relation;
}

/** Return the words of a text joined by underscores, in lower case, at most 80 characters. */
export function slug(text: string): string {
  const words = text.replace(/[^0-9A-Za-z\u0080-\u{10ffff}]+/gu, "_").replace(/^_+|_+$/g, "");
  return [...words.toLowerCase()].slice(0, 80).join("");
}

/**
 * Return the key of a link; where it would hide a write, the method stands first. A relation says what is at the
 * URL, not what the link does there: "list" of a DELETE is "delete_list".
 */
export function honest(key: string, { action }: Link): string {
  return isSafe(action) || !readsSafe(key) ? key : `${action.toLowerCase()}_${key}`;
}

/** Keys in use; `unused` appends a number, from 2, to one that is taken. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  has(key: string): boolean {
    return this.#taken.has(key);
  }

  unused(key: string): string {
    let free = key;
    for (let number = 2; this.#taken.has(free); number++) free = `${key}_${number}`;
    this.#taken.add(free);
    return free;
  }
}

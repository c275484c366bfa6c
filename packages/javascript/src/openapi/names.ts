import { isSafe, readsSafe } from "../methods.js";

/** The parts of an operation that its name comes from. */
export interface Named {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  /** A path of keys that the description itself specifies. */
  readonly keys: readonly string[];
  /** Words that the operation id may start with before the tag. */
  readonly openings?: readonly string[];
}

/** Segments at the start of a path that do not say what an operation works on: /api/v1/{tenant}/loans */
const OPENING = /^(?:api|v?[0-9]+(?:[-.][0-9]+)*|\{[^{}]*\})$/i;

/**
 * Return a path of keys for each operation, independent of the order of the file: its tag, if any, and its
 * name, which is the operation id without the tag at its start; an operation that writes keeps the tag if
 * "users_get" would become "get". Operations that would share a path use the
 * whole id; those that still would, and those without an id, use method and path. A tag that only repeats the
 * opening of the path, as in `/api/v1/loans`, gives way to what follows, unless the description describes it.
 */
export function keyPaths(all: readonly Named[], described: ReadonlySet<string>): string[][] {
  const operations = all.map((named) => (described.has(named.tag) ? named : beyondOpening(named)));
  const levels = operations.map(() => 0);
  for (;;) {
    const paths = operations.map((named, at) => pathAt(named, levels[at]!));
    const groups = new Set(paths.flatMap(groupsOf));
    const counted = new Map<string, number>();
    for (const path of paths) counted.set(keyOf(path), (counted.get(keyOf(path)) ?? 0) + 1);
    let isRaised = false;
    paths.forEach((path, at) => {
      if (levels[at]! >= 3 || (counted.get(keyOf(path)) === 1 && !groups.has(keyOf(path)))) return;
      levels[at]!++;
      isRaised = true;
    });
    if (!isRaised) return paths;
  }
}

/** Return the operation with the first telling segment of its path for a tag `api` or `v1`; no other operation has a say. */
function beyondOpening(named: Named): Named {
  const segments = named.path.split("/").filter(Boolean).map((part) => part.replaceAll("_", "-"));
  const end = segments.findIndex((part) => !OPENING.test(part));
  if (end < 1 || named.tag !== segments[0] || segments[end]!.includes("{")) return named;
  return { ...named, tag: segments[end]!, openings: segments.slice(0, end) };
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Return the paths that contain this one, which no operation can use. */
function groupsOf(path: readonly string[]): string[] {
  return path.slice(1).map((_, end) => keyOf(path.slice(0, end + 1)));
}

function pathAt({ method, path, operationId, tag, keys, openings = [] }: Named, level: number): string[] {
  if (keys.length && level === 0) return [...keys];
  const byPlace = `${method} ${path}`;
  const whole = operationId || byPlace;
  const name = [short(method, [...openings, tag], whole), whole, byPlace, `operation ${byPlace}`][level]!;
  return tag ? [tag, name] : [name];
}

/** Return the name without opening and tag, unless that makes one that writes seem to read. */
function short(method: string, words: readonly string[], whole: string): string {
  const name = words.reduce(withoutTag, whole);
  return !isSafe(method) && readsSafe(name) && !readsSafe(whole) ? whole : name;
}

function withoutTag(name: string, tag: string): string {
  if (!tag || name.slice(0, tag.length).toLowerCase() !== tag.toLowerCase()) return name;
  const rest = name.slice(tag.length);
  const found = /^[^\p{L}\p{N}]+(?=[\p{L}\p{N}_])/u.exec(rest);
  return found ? rest.slice(found[0].length) : name;
}

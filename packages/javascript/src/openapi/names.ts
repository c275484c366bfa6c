/** What names an operation. */
export interface Named {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  /** A path of keys that the description asks for by itself. */
  readonly keys: readonly string[];
}

/**
 * Return a path of keys for each operation, the same whatever the order of the file: its tag, if any, and its
 * name, which is the operation id without the tag at its start. Operations that would share a path take the
 * whole id; those that still would, and those without an id, method and path.
 */
export function keyPaths(operations: readonly Named[]): string[][] {
  const groups = new Set(operations.flatMap(groupsOf));
  const levels = operations.map(() => 0);
  for (;;) {
    const paths = operations.map((named, at) => pathAt(named, levels[at]!));
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

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** The paths that hold others, so that no operation may stand there. */
function groupsOf({ tag, keys }: Named): string[] {
  if (!keys.length) return tag ? [keyOf([tag])] : [];
  return keys.slice(1).map((_, end) => keyOf(keys.slice(0, end + 1)));
}

function pathAt({ method, path, operationId, tag, keys }: Named, level: number): string[] {
  if (keys.length && level === 0) return [...keys];
  const byPlace = `${method} ${path}`;
  const whole = operationId || byPlace;
  const name = [withoutTag(whole, tag), whole, byPlace, `operation ${byPlace}`][level]!;
  return tag ? [tag, name] : [name];
}

function withoutTag(name: string, tag: string): string {
  if (!tag || !name.toLowerCase().startsWith(tag.toLowerCase())) return name;
  const rest = name.slice(tag.length);
  const found = /^[^\p{L}\p{N}]+(?=[\p{L}\p{N}_])/u.exec(rest);
  return found ? rest.slice(found[0].length) : name;
}

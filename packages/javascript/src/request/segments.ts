import { LintelError } from "../errors.js";

/** Refuse values that make a dot segment of a path, alone or with what stands around them. */
export function checkPath(template: string, url: string): void {
  // In place of each value that the path takes stands one that is harmless.
  const literal = template.replace(/{([/.]?)([?&#]?)[^}]*}/g, (_all, before: string, query: string) => (query ? "" : `${before}x`));
  if (dotSegments(url) > dotSegments(literal)) throw new LintelError("parameter", "A parameter makes a dot segment of the path.");
}

function dotSegments(url: string): number {
  return url.split(/[?#]/)[0]!.split("/").filter((part) => /^(\.|%2e){1,2}$/i.test(part)).length;
}

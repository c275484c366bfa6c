import { LintelError } from "./errors.js";

/** Return the media type of a Content-Type header, in lower case and without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Return text from bytes, in the charset that a Content-Type names, UTF-8 by default. */
export function textOf(content: Uint8Array | string, contentType = "", fatal = false): string {
  if (typeof content === "string") return content.replace(/^\ufeff/, "");
  const named = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return decoder(named, fatal).decode(content);
  } catch (cause) {
    throw new LintelError("parse", `The content is not valid ${named}`, { cause });
  }
}

function decoder(charset: string, fatal: boolean): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal });
  } catch {
    return new TextDecoder("utf-8", { fatal });
  }
}

/** Return which of the known names are close to a name, the closest first, three at most. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  const rated = [...new Set(known)].map((other): [number, string] => [distance(name, other), other]);
  return rated
    .filter(([edits, other]) => edits <= Math.max(1, Math.min(name.length, other.length) * 0.4))
    .sort(([left], [right]) => left - right)
    .slice(0, 3)
    .map(([, other]) => other);
}

/** The number of letters to change between two names (Levenshtein); names beyond 60 letters are far. */
function distance(left: string, right: string): number {
  if (Math.max(left.length, right.length) > 60) return 99;
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + same));
    }
    row = next;
  }
  return row[right.length]!;
}

import type { PartEncoding } from "../link.js";
import { quoted, quotedReserved } from "../templates.js";
import { entriesOf, scalarText, texts } from "../request/values.js";

/** The separators of lists that stand in one value; those of older descriptions among them. */
export const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: " ", tabDelimited: "\t", pipeDelimited: "|" };

type Quote = (text: string) => string;
export type Pair = [name: string, text: string];

/** A value without what is null in it; null when nothing is left (RFC 6570, section 2.3). */
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return nonEmpty(value.filter((item) => item !== null && item !== undefined));
  const entries = entriesOf(value);
  return entries ? nonEmpty(entries.filter(([, item]) => item !== null)) && new Map(entries.filter(([, item]) => item !== null)) : value;
}

function nonEmpty(items: unknown[]): unknown[] | null {
  return items.length ? items : null;
}

/** Return the pairs of a query, or of a form, for one value, encoded (OpenAPI 3.1.1, "Style Examples"). */
export function styledPairs(name: string, given: unknown, how: PartEncoding, quote: Quote = quoted): Pair[] {
  const write: Quote = how.allowReserved ? queryReserved : quote;
  if (how.style === "deepObject") return deepPairs(name, given, write, quote);
  const value = present(given);
  if (value === null) return [];
  const entries = entriesOf(value);
  if (how.explode) {
    if (entries) return entries.map(([key, item]) => [quote(key), write(scalarText(item))]);
    return texts(value).map((text) => [quote(name), write(text)]);
  }
  const parts = entries?.flatMap(([key, item]) => [key, scalarText(item)]) ?? texts(value);
  const separator = SEPARATORS[how.style ?? ""];
  return [[quote(name), parts.map(write).join(separator ? quote(separator) : ",")]];
}

/** Names and texts as a query holds them. */
export function joinedPairs(pairs: readonly Pair[]): string[] {
  return pairs.map(([name, text]) => `${name}=${text}`);
}

/** `filter[a]=1`, and the same one level further for objects in objects. */
function deepPairs(name: string, given: unknown, write: Quote, quote: Quote, depth = 0): Pair[] {
  const value = present(given);
  if (value === null) return [];
  const entries = depth > 20 ? null : depth || !Array.isArray(value) ? entriesOf(value) : Object.entries(value);
  if (!entries) return texts(value).map((text) => [quote(name), write(text)]);
  return entries.flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, write, quote, depth + 1));
}

/** Reserved characters pass, but those that would end the query (RFC 3986, section 3.4). */
function queryReserved(text: string): string {
  return quotedReserved(text).replace(/[#[\]]/g, quoted);
}

/** Return one value as the text of a header: "simple" style, nothing encoded. */
export function simpleText(value: unknown, { style, explode }: { style: string; explode: boolean }): string {
  const separator = SEPARATORS[style] ?? ",";
  const entries = entriesOf(value);
  if (!entries) return texts(value).join(separator);
  return entries.map(([key, item]) => [key, scalarText(item)].join(explode ? "=" : separator)).join(separator);
}

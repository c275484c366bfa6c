import type { PartEncoding } from "../link.js";
import { quoted, quotedReserved } from "../templates.js";
import { entriesOf, scalarText, texts } from "../request/values.js";

/** The separators of lists written as one value, including those of older descriptions. */
export const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: " ", tabDelimited: "\t", pipeDelimited: "|" };

type Quote = (text: string) => string;
export type Pair = [name: string, text: string];

/** Return a value without its nulls; null if nothing is left (RFC 6570, section 2.3). */
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return nonEmpty(value.filter((item) => item !== null && item !== undefined));
  const entries = entriesOf(value);
  return entries ? nonEmpty(entries.filter(([, item]) => item !== null)) && new Map(entries.filter(([, item]) => item !== null)) : value;
}

function nonEmpty(items: unknown[]): unknown[] | null {
  return items.length ? items : null;
}

/** Return the encoded pairs of a query or form for one value (OpenAPI 3.1.1, "Style Examples"). */
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

/** Encode a name or text for a query. */
export function joinedPairs(pairs: readonly Pair[]): string[] {
  return pairs.map(([name, text]) => `${name}=${text}`);
}

/** `filter[a]=1`, with one more level of brackets for nested objects. */
function deepPairs(name: string, given: unknown, write: Quote, quote: Quote, depth = 0): Pair[] {
  const value = present(given);
  if (value === null) return [];
  const entries = depth > 20 ? null : depth || !Array.isArray(value) ? entriesOf(value) : Object.entries(value);
  if (!entries) return texts(value).map((text) => [quote(name), write(text)]);
  return entries.flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, write, quote, depth + 1));
}

/** Encode a text but keep reserved characters, except those that would end the value or the query (RFC 3986, section 3.4). */
function queryReserved(text: string): string {
  return quotedReserved(text).replace(/[#[\]&=+]/g, quoted);
}

/** Return one value as the text of a header: "simple" style, nothing encoded. */
export function simpleText(value: unknown, { style, explode }: { style: string; explode: boolean }): string {
  const separator = SEPARATORS[style] ?? ",";
  const entries = entriesOf(value);
  if (!entries) return texts(value).join(separator);
  return entries.map(([key, item]) => [key, scalarText(item)].join(explode ? "=" : separator)).join(separator);
}

import type { PartEncoding } from "../link.js";
import { quoted, quotedReserved } from "../templates.js";
import { entriesOf, scalarText, texts } from "../request/values.js";

/** The separators of lists that stand in one value; those of older descriptions among them. */
const SEPARATORS: Readonly<Record<string, string>> = {
  form: ",",
  spaceDelimited: "%20",
  tabDelimited: "%09",
  pipeDelimited: "%7C",
};

type Quote = (text: string) => string;

/** Return the pairs of a query, or of a form, for one value, encoded (OpenAPI 3.1.1, "Style Examples"). */
export function styledPairs(name: string, value: unknown, how: PartEncoding, quote: Quote = quoted): string[] {
  const write: Quote = how.allowReserved ? queryReserved : quote;
  if (how.style === "deepObject") return deepPairs(name, value, write, quote);
  const entries = entriesOf(value);
  if (how.explode) {
    if (entries) return entries.map(([key, item]) => `${quote(key)}=${write(scalarText(item))}`);
    return texts(value).map((text) => `${quote(name)}=${write(text)}`);
  }
  const parts = entries?.flatMap(([key, item]) => [key, scalarText(item)]) ?? texts(value);
  return parts.length ? [`${quote(name)}=${parts.map(write).join(SEPARATORS[how.style ?? ""] ?? ",")}`] : [];
}

/** `filter[a]=1`, and the same one level further for objects in objects. */
function deepPairs(name: string, value: unknown, write: Quote, quote: Quote, depth = 0): string[] {
  const entries = depth > 20 ? null : entriesOf(value);
  if (!entries) return texts(value).map((text) => `${quote(name)}=${write(text)}`);
  return entries.flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, write, quote, depth + 1));
}

/** Reserved characters pass, but those that would end the query (RFC 3986, section 3.4). */
function queryReserved(text: string): string {
  return quotedReserved(text).replace(/[#[\]]/g, quoted);
}

/** Return one value as the text of a header: "simple" style, nothing encoded. */
export function simpleText(value: unknown, explode: boolean): string {
  const entries = entriesOf(value);
  if (!entries) return texts(value).join();
  return entries.map(([key, item]) => [key, scalarText(item)].join(explode ? "=" : ",")).join();
}

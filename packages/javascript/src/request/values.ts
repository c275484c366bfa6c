import { DocumentNode } from "../document.js";
import { checkedText, isFile, isObject, kindOf } from "../json.js";

/** The text of one value in a URL, a header or a form. Throws a TypeError for values without a text form. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") return checkedText(value);
  if (value === null) return "";
  if (["boolean", "number", "bigint"].includes(typeof value)) return String(value);
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`This parameter must be text, a number or a boolean, ${named(value)}.`);
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(scalarText) : [scalarText(value)];
}

/** The entries of an object, Map or node; null for anything else. */
export function entriesOf(value: unknown): [string, unknown][] | null {
  if (value instanceof DocumentNode || value instanceof Map) return [...value];
  return isObject(value) ? Object.entries(value).filter(([, inner]) => inner !== undefined) : null;
}

function named(value: unknown): string {
  if (Array.isArray(value)) return "not a list of lists";
  if (isFile(value)) return "not a file";
  return entriesOf(value) ? "not an object" : `not ${kindOf(value)}`;
}

import type { Field } from "../link.js";
import { type TemplateValue, type Variable, quoted } from "../templates.js";
import { bodyValue, encodeBody } from "./bodies.js";
import { entriesOf, scalarText, texts } from "./values.js";
import type { Writer } from "./writer.js";

/** Lists repeat their name; objects are possible only in the body. */
export const plainWriter: Writer = {
  path: plainPath,
  query: (field, value) => texts(value).map((text) => `${quoted(field.name)}=${quoted(text)}`),
  header: (_field, value) => texts(value).join(),
  cookie: (field, value) => texts(value).map((text) => `${field.name}=${cookieText(text)}`),
  bodyValue,
  encode: encodeBody,
};

export function plainPath(_field: Field | null, variable: Variable, value: unknown): TemplateValue {
  const entries = (variable.explode || variable.operator) && entriesOf(value);
  if (entries) return new Map(entries.map(([key, item]) => [key, scalarText(item)]));
  const found = texts(value);
  if (!variable.optional && !found.join("")) throw new TypeError("This parameter must not be empty.");
  return Array.isArray(value) ? found : found[0]!;
}

/** Percent-encode characters that a cookie value cannot contain (RFC 6265, section 4.1.1). */
export function cookieText(text: string): string {
  return encodeURIComponent(text).replace(/%(2[346BF]|3[AC-F]|40|5[BDE]|60|7[BCD])/g, decodeURIComponent);
}

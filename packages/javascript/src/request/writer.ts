import type { Field, Link } from "../link.js";
import type { TemplateValue, Variable } from "../templates.js";
import type { Parameters } from "./parameters.js";

/** What is sent as the body; null for no body. */
export type Body = Blob | Uint8Array<ArrayBuffer> | null;
export type HeaderField = [name: string, value: string];

/**
 * How the values of a link are written. The plain writer serves documents whose fields specify only a
 * location; codecs of formats that specify more give their links a writer of their own. All throw TypeError
 * for values that do not fit.
 */
export interface Writer {
  path(field: Field, variable: Variable, value: unknown): TemplateValue;
  /** The pairs of a query, encoded: "name=value". */
  query(field: Field, value: unknown): string[];
  /** The value of a header, null for none. */
  header(field: Field, value: unknown): string | null;
  /** The cookies, encoded: "name=value". */
  cookie(field: Field, value: unknown): string[];
  /** Return a value as `encode` takes it: of the property `name`, or of the whole body. */
  bodyValue(link: Link, value: unknown, name?: string): unknown;
  encode(link: Link, parameters: Parameters): [Body, HeaderField[]];
}

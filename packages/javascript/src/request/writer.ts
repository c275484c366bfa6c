import type { Field, Link } from "../link.js";
import type { TemplateValue, Variable } from "../templates.js";
import type { Parameters } from "./parameters.js";

/** What is sent: null where there is no body. */
export type Body = Blob | Uint8Array<ArrayBuffer> | null;
export type HeaderField = [name: string, value: string];

/**
 * How the values of a link are written. The plain one serves documents whose fields say no more than a
 * location; a codec whose descriptions say more gives its links another one. All throw TypeError for values
 * that do not fit.
 */
export interface Writer {
  path(field: Field, variable: Variable, value: unknown): TemplateValue;
  /** The pairs of a query, encoded: "name=value". */
  query(field: Field, value: unknown): string[];
  /** The value of a header, null for none. */
  header(field: Field, value: unknown): string | null;
  /** The cookies, encoded: "name=value". */
  cookie(field: Field, value: unknown): string[];
  /** The form in which a value goes to `encode`: of the property `name`, or of the whole body. */
  bodyValue(link: Link, value: unknown, name?: string): unknown;
  encode(link: Link, parameters: Parameters): [Body, HeaderField[]];
}

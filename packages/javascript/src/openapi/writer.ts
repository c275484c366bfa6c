import { writeJSON, isFile } from "../json.js";
import type { Field, Link, PartEncoding } from "../link.js";
import { type TemplateValue, type Variable, quoted } from "../templates.js";
import { mediaTypeOf } from "../text.js";
import {
  FORM,
  MULTIPART,
  WrittenJSON,
  asForm,
  asJSON,
  asMultipart,
  asText,
  asUpload,
  checkedFile,
  formEntries,
  formItems,
  formText,
  isJSON,
} from "../request/bodies.js";
import type { Parameters } from "../request/parameters.js";
import { cookieText, plainPath } from "../request/plain.js";
import { entriesOf, scalarText, texts } from "../request/values.js";
import type { Body, HeaderField, Writer } from "../request/writer.js";
import { simpleText, styledPairs } from "./styles.js";

/** Writes values in the styles and media types of OpenAPI. */
export const styledWriter: Writer = { path, query, header, cookie, bodyValue, encode };

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: " ", tabDelimited: "\t", pipeDelimited: "|" };

function path(field: Field, variable: Variable, value: unknown): TemplateValue {
  if (field.contentType) return plainPath(field, variable, contentText(field, value));
  const separator = SEPARATORS[field.style];
  if (separator && Array.isArray(value)) return plainPath(field, variable, texts(value).join(separator));
  const entries = entriesOf(value);
  if (entries && !entries.length) throw new TypeError("This parameter must not be empty.");
  return entries ? new Map(entries.map(([key, item]) => [key, scalarText(item)])) : plainPath(field, variable, value);
}

function query(field: Field, value: unknown): string[] {
  if (field.location === "querystring") return [wholeQuery(field, value)];
  if (field.contentType) return [`${quoted(field.name)}=${quoted(contentText(field, value))}`];
  return styledPairs(field.name, value, field);
}

/** All of the query as one value, in a media type (OpenAPI 3.2). */
function wholeQuery(field: Field, value: unknown): string {
  const entries = field.contentType === FORM && entriesOf(value);
  if (!entries) return quoted(contentText(field, value));
  return entries.flatMap(([name, item]) => texts(item).map((text) => `${formText(name)}=${formText(text)}`)).join("&");
}

function header(field: Field, value: unknown): string {
  return field.contentType ? contentText(field, value) : simpleText(value, field.explode);
}

function cookie(field: Field, value: unknown): string[] {
  if (field.contentType) return [`${field.name}=${cookieText(contentText(field, value))}`];
  // The style "cookie" of 3.2 writes values as they are.
  const write = field.style === "cookie" ? plainCookie : cookieText;
  return styledPairs(field.name, value, { style: "form", explode: field.explode }, write);
}

function plainCookie(text: string): string {
  if (/[^\x21-\x7e]|;/.test(text)) throw new TypeError("A cookie cannot hold this value.");
  return text;
}

/** The text of a parameter that has a media type of its own. */
function contentText(field: Field, value: unknown): string {
  return isJSON(field.contentType) ? writeJSON(value) : scalarText(value);
}

/** A property of a form that is written in a style of query parameters. */
class StyledPart {
  readonly pairs: string[];

  constructor(name: string, value: unknown, { style = "form", explode = style === "form", allowReserved = false }: PartEncoding) {
    this.pairs = styledPairs(name, value, { style, explode, allowReserved }, formText);
  }
}

function partsOf(link: Link): Readonly<Record<string, PartEncoding>> {
  return link.bodies.find(({ mediaType }) => mediaType === link.encoding)?.parts ?? {};
}

function bodyValue(link: Link, value: unknown, name?: string): unknown {
  const encoding = mediaTypeOf(link.encoding);
  if (isJSON(encoding)) return new WrittenJSON(value);
  if (encoding !== FORM && encoding !== MULTIPART) return rawValue(encoding, value);
  const parts = partsOf(link);
  if (name !== undefined) return propertyValue(encoding, name, value, parts[name]);
  return new Map(formEntries(value).map(([key, inner]) => [key, propertyValue(encoding, key, inner, parts[key])]));
}

/** Text and files in a media type that is neither JSON nor a form. */
function rawValue(encoding: string, value: unknown): unknown {
  const isText = typeof value === "string" && encoding !== "application/octet-stream";
  return isText ? value : checkedFile(value);
}

/** Objects in a form are JSON unless a style says otherwise (OpenAPI 3.1.1, "Encoding Object"). */
function propertyValue(encoding: string, name: string, value: unknown, how: PartEncoding = {}): unknown {
  const isStyled = how.style ?? how.explode ?? how.allowReserved;
  if (isStyled !== undefined && encoding === FORM) return new StyledPart(name, value, how);
  if (how.contentType && isJSON(how.contentType)) return [new WrittenJSON(value)];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    !isFile(item) && (Array.isArray(item) || entriesOf(item)) ? [new WrittenJSON(item)] : formItems(encoding, item),
  );
}

function encode(link: Link, { body, form }: Parameters): [Body, HeaderField[]] {
  if (body === undefined && !form.size) return [null, []];
  const encoding = mediaTypeOf(link.encoding);
  if (isJSON(encoding)) return asJSON(link.encoding || "application/json", body, form);
  const value = (body ?? form) as ReadonlyMap<string, unknown>;
  if (encoding === FORM) return asForm([...value].flatMap(([name, part]) => formPairs(name, part)));
  if (encoding === MULTIPART) {
    const parts = partsOf(link);
    return asMultipart(value as ReadonlyMap<string, unknown[]>, (name) => parts[name]?.contentType ?? "");
  }
  const raw = body ?? [...form.values()][0];
  return typeof raw === "string" ? asText(link.encoding, raw) : asUpload(raw, link.encoding);
}

function formPairs(name: string, part: unknown): string[] {
  if (part instanceof StyledPart) return part.pairs;
  return (part as unknown[]).map((item) => `${formText(name)}=${formText(item instanceof WrittenJSON ? item.text : (item as string))}`);
}

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
  formEntries,
  formItems,
  formText,
  isJSON,
} from "../request/bodies.js";
import type { Parameters } from "../request/parameters.js";
import { checkedHeader } from "../request/headers.js";
import { cookieText, plainPath } from "../request/plain.js";
import { entriesOf, scalarText, texts } from "../request/values.js";
import type { Body, HeaderField, Writer } from "../request/writer.js";
import { NestedParts, NestedValue, documentOf, documentParts } from "./nested-forms.js";
import { type Pair, SEPARATORS, joinedPairs, present, simpleText, styledPairs } from "./styles.js";

/** Writes values in the styles and media types of OpenAPI. */
export const styledWriter: Writer = { path, query, header, cookie, bodyValue, encode };

const EMPTY = "This parameter must not be empty.";
const JSON_LINES = ["application/x-ndjson", "application/jsonl", "application/ndjson"];

function path(field: Field, variable: Variable, given: unknown): TemplateValue {
  if (field.contentType) return plainPath(field, variable, contentText(field, given));
  const value = present(given);
  if (value === null) throw new TypeError(EMPTY);
  if (field.style === "label" && !entriesOf(value)) checkLabel(texts(value).join(field.explode ? "." : ","));
  const separator = SEPARATORS[field.style];
  if (separator && Array.isArray(value)) return plainPath(field, variable, texts(value).join(separator));
  const entries = entriesOf(value);
  return entries ? new Map(entries.map(([key, item]) => [key, scalarText(item)])) : plainPath(field, variable, value);
}

/** With the dot of its style in front, the text must not form a dot segment of the path. */
function checkLabel(text: string): void {
  if (!text) throw new TypeError(EMPTY);
  if (text === ".") throw new TypeError("This parameter must not be a dot segment.");
}

function query(field: Field, value: unknown): string[] {
  if (field.location === "querystring") return [wholeQuery(field, value)];
  if (field.contentType) return [`${quoted(field.name)}=${quoted(contentText(field, value))}`];
  return some(field, styledPairs(field.name, value, field));
}

/** Write the whole query as one value, in a media type (OpenAPI 3.2). */
function wholeQuery(field: Field, value: unknown): string {
  const entries = field.contentType === FORM && entriesOf(value);
  if (!entries) return quoted(contentText(field, value));
  return entries.flatMap(([name, item]) => texts(item).map((text) => `${formText(name)}=${formText(text)}`)).join("&");
}

/** A required parameter must not be null, an empty list or an empty object. */
function some(field: Field, pairs: readonly Pair[]): string[] {
  if (field.required && !pairs.length) throw new TypeError("This parameter is required.");
  return joinedPairs(pairs);
}

function header(field: Field, given: unknown): string | null {
  if (field.contentType) return isJSON(field.contentType) ? writeJSON(given).replace(/[^\x00-\x7f]/g, escaped) : scalarText(given);
  const value = present(given);
  some(field, value === null ? [] : [["", ""]]);
  return value === null ? null : simpleText(value, field);
}

/** Headers are ASCII: other characters become JSON escapes. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function cookie(field: Field, value: unknown): string[] {
  if (field.contentType) return [`${field.name}=${cookieText(contentText(field, value))}`];
  // The style "cookie" of 3.2 writes values unchanged.
  const write = field.style === "cookie" ? plainCookie : cookieText;
  return some(field, styledPairs(field.name, value, { style: "form", explode: field.explode }, write));
}

function plainCookie(text: string): string {
  if (/[^\x21-\x7e]|;/.test(text)) throw new TypeError("A cookie cannot hold this value.");
  return text;
}

/** Return the text of a parameter that has its own media type. */
function contentText(field: Field, value: unknown): string {
  return isJSON(field.contentType) ? writeJSON(value) : scalarText(value);
}

/** Write a property of a form in a style of query parameters. */
class StyledPart {
  readonly pairs: Pair[];

  constructor(name: string, value: unknown, how: PartEncoding, isEncoded: boolean) {
    const { style = "form", explode = style === "form" } = how;
    // Form values are always encoded, whatever the description says about reserved characters.
    this.pairs = styledPairs(name, value, { style, explode }, isEncoded ? formText : String);
  }
}

function partsOf(link: Link): Readonly<Record<string, PartEncoding>> {
  return link.bodies.find(({ mediaType }) => mediaType === link.encoding)?.parts ?? {};
}

function bodyValue(link: Link, value: unknown, name?: string): unknown {
  const encoding = mediaTypeOf(link.encoding);
  if (isJSON(encoding)) return new WrittenJSON(value);
  if (encoding !== FORM && encoding !== MULTIPART) return rawValue(encoding, value);
  if (name !== undefined) return propertyValue(link, encoding, name, value);
  return new Map(formEntries(value).map(([key, inner]) => [key, propertyValue(link, encoding, key, inner)]));
}

/** Write text, files and lines of JSON in a media type that is neither JSON nor a form. */
function rawValue(encoding: string, value: unknown): unknown {
  if (isFile(value)) return value;
  const isAny = encoding === "*/*" || encoding === "application/*";
  if (isAny && (value === null || ["number", "bigint", "boolean"].includes(typeof value))) return new WrittenJSON(value);
  if (!Array.isArray(value) && !entriesOf(value)) return scalarText(value);
  if (Array.isArray(value) && JSON_LINES.includes(encoding)) return value.map((item) => `${writeJSON(item)}\n`).join("");
  if (isAny) return new WrittenJSON(value);
  throw new TypeError(`The body must be text or a file: it is sent as ${encoding}.`);
}

/** Objects in a form are JSON unless a style says otherwise (OpenAPI 3.1.1, "Encoding Object"). */
function propertyValue(link: Link, encoding: string, name: string, value: unknown): unknown {
  const how = partsOf(link)[name] ?? {};
  const document = encoding === MULTIPART ? documentOf(how.style) : null;
  if (document) return new NestedValue(document, name, value);
  if (value === null) return [];
  if (document !== null) return new NestedParts(name, value);
  const type = how.contentType ?? "";
  const isStyled = (how.style ?? how.explode) !== undefined;
  if (isStyled && !(encoding === FORM && type && isJSON(type))) return new StyledPart(name, value, how, encoding === FORM);
  // In multipart bodies, the media type of a list applies to each of its items.
  const isWhole = type !== "" && isJSON(type) && (encoding === FORM || !isList(link, name));
  if (isWhole) return [new WrittenJSON(value)];
  const items: unknown[] = Array.isArray(value) ? value.filter((item) => item !== null) : [value];
  return items.flatMap((item) => (isJSONItem(item, type) ? [new WrittenJSON(item)] : formItems(encoding, item)));
}

function isJSONItem(item: unknown, type: string): boolean {
  if (isFile(item)) return false;
  return Array.isArray(item) || entriesOf(item) !== null || (type !== "" && isJSON(type));
}

function isList(link: Link, name: string): boolean {
  const field = link.fields.find((each) => each.location === "form" && each.name === name);
  return field?.schema?.["type"] === "array";
}

/** Whether the description requires a body although all of its properties are optional. */
function needsBody(link: Link): boolean {
  const isRequired = link.bodies.some((each) => each.required && each.mediaType === link.encoding);
  return isRequired && link.fields.some(({ location }) => location === "form");
}

function encode(link: Link, { body, form }: Parameters): [Body, HeaderField[]] {
  if (body === undefined && !form.size && !needsBody(link)) return [null, []];
  const encoding = mediaTypeOf(link.encoding);
  if (isJSON(encoding)) return asJSON(link.encoding || "application/json", body, form);
  const value = (body ?? form) as ReadonlyMap<string, unknown>;
  if (encoding === FORM) return asForm([...value].flatMap(([name, part]) => formPairs(name, part)));
  if (encoding === MULTIPART) {
    const parts = partsOf(link);
    return asMultipart([...documentParts(value), ...[...value].flatMap(([name, part]) => namedParts(name, part))], (name) => [parts[name]?.contentType ?? "", headerLines(parts[name])]);
  }
  const raw = body ?? [...form.values()][0];
  if (raw instanceof WrittenJSON) return asText("application/json", raw.text);
  return typeof raw === "string" ? asText(textType(link.encoding, raw), raw) : asUpload(raw, link.encoding);
}

function headerLines(part: PartEncoding | undefined): string {
  return (part?.headers ?? []).map((field) => `\r\n${checkedHeader(...field).join(": ")}`).join("");
}

/** Return the media type of a text, with its charset if it matters. */
function textType(encoding: string, text: string): string {
  const type = encoding.includes("*") ? "text/plain" : encoding;
  return /^[\x00-\x7f]*$/.test(text) || /charset/i.test(type) ? type : `${type}; charset=utf-8`;
}

function namedParts(name: string, part: unknown): [string, unknown[]][] {
  if (part instanceof StyledPart) return part.pairs.map(([own, text]) => [own, [text]]);
  if (part instanceof NestedParts || part instanceof NestedValue) return part.named.map(([own, item]) => [own, [item]]);
  return [[name, part as unknown[]]];
}

function formPairs(name: string, part: unknown): string[] {
  if (part instanceof StyledPart) return joinedPairs(part.pairs);
  return (part as unknown[]).map((item) => `${formText(name)}=${formText(item instanceof WrittenJSON ? item.text : (item as string))}`);
}

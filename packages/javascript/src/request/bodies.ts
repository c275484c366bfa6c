import { LintelError } from "../errors.js";
import { isFile, writeJSON } from "../json.js";
import type { Link } from "../link.js";
import { quoted } from "../templates.js";
import { mediaTypeOf } from "../text.js";
import { attachment, blobOf, fileName, partName, typeOf } from "./files.js";
import { checkedHeader } from "./headers.js";
import type { Parameters } from "./parameters.js";
import { entriesOf, scalarText, texts } from "./values.js";
import type { Body, HeaderField } from "./writer.js";

export const JSON_TYPE = "application/json";
export const FORM = "application/x-www-form-urlencoded";
export const MULTIPART = "multipart/form-data";
export const OCTET_STREAM = "application/octet-stream";

type Encoded = [Body, HeaderField[]];

/** JSON text that is written once, when its value is checked. */
export class WrittenJSON {
  readonly text: string;

  constructor(value: unknown) {
    this.text = writeJSON(value);
  }
}

/** Whether a body of this media type is written as JSON. */
export function isJSON(encoding: string): boolean {
  return !encoding || /[/+]json$/.test(mediaTypeOf(encoding));
}

/**
 * Return a value in the form its encoder takes: JSON text, a Map of lists of texts and files, a file.
 * Throws a TypeError for a value that the media type cannot represent.
 */
export function bodyValue({ encoding }: Link, value: unknown, name?: string): unknown {
  if (isJSON(encoding)) return new WrittenJSON(value);
  if (encoding === OCTET_STREAM) return checkedFile(value);
  if (name !== undefined) return formItems(encoding, value);
  return new Map(formEntries(value).map(([key, inner]) => [key, formItems(encoding, inner)]));
}

export function checkedFile(value: unknown): unknown {
  if (!isFile(value)) throw new TypeError("This parameter must be a file.");
  return value;
}

export function formEntries(value: unknown): [string, unknown][] {
  const entries = entriesOf(value);
  if (!entries) throw new TypeError("The body of a form must be an object.");
  return entries;
}

export function formItems(encoding: string, value: unknown): unknown[] {
  if (encoding !== MULTIPART) return texts(value);
  return [value].flat().map((item) => (isFile(item) ? item : scalarText(item)));
}

/** Return the body of a request and the headers that describe it. A whole body takes precedence over form values. */
export function encodeBody({ encoding }: Link, { body, form }: Parameters): Encoded {
  if (body === undefined && !form.size) return [null, []];
  if (isJSON(encoding)) return asJSON(encoding || JSON_TYPE, body, form);
  const value = body ?? form;
  if (encoding === FORM) return asForm(formPairs(value as Map<string, string[]>));
  if (encoding === MULTIPART) return asMultipart(value as Map<string, unknown[]>);
  if (encoding === OCTET_STREAM) return asUpload(body ?? [...form.values()][0]);
  const known = [JSON_TYPE, FORM, MULTIPART, OCTET_STREAM].join(", ");
  throw new LintelError("encoding", `No body can be written as ${JSON.stringify(encoding)}; available: ${known}`);
}

export function asJSON(type: string, body: unknown, form: ReadonlyMap<string, unknown>): Encoded {
  const entries = [...form].map(([name, value]) => `${JSON.stringify(name)}:${(value as WrittenJSON).text}`);
  return asText(type, body === undefined ? `{${entries.join()}}` : (body as WrittenJSON).text);
}

export function asText(type: string, text: string): Encoded {
  return [new TextEncoder().encode(text), [["Content-Type", type]]];
}

function formPairs(form: ReadonlyMap<string, string[]>): string[] {
  return [...form].flatMap(([name, items]) => items.map((item) => `${formText(name)}=${formText(item)}`));
}

export function asForm(pairs: string[]): Encoded {
  return asText(FORM, pairs.join("&"));
}

/** Encode as forms do: a space becomes a plus (WHATWG URL, 5). */
export function formText(text: string): string {
  return quoted(text).replace(/%20/g, "+");
}

/** `describe` returns the described media types and the header lines of a part. */
export function asMultipart(form: Iterable<readonly [string, unknown[]]>, describe: (name: string) => [string, string] = () => ["", ""]): Encoded {
  const boundary = `lintel-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const parts = [...form].flatMap(([name, items]) =>
    items.flatMap((item) => [`--${boundary}\r\n`, ...part(name, item, ...describe(name)), "\r\n"]),
  );
  return [new Blob([...parts, `--${boundary}--\r\n`]), [["Content-Type", `${MULTIPART}; boundary=${boundary}`]]];
}

function part(name: string, item: unknown, described: string, lines: string): BlobPart[] {
  const disposition = `Content-Disposition: form-data; name="${partName(name)}"`;
  if (isFile(item)) {
    const file = `filename="${partName(fileName(item) || name)}"`;
    return [`${disposition}; ${file}${typeLine(typeOf(item, described))}${lines}\r\n\r\n`, blobOf(item)];
  }
  const isText = typeof item === "string";
  return [disposition, typeLine(described || (isText ? "" : JSON_TYPE)), lines, "\r\n\r\n", isText ? item : (item as WrittenJSON).text];
}

function typeLine(type: string): string {
  return type && `\r\nContent-Type: ${checkedHeader("Content-Type", type)[1]}`;
}

/** A file as the body, with its name unless a description asks for a media type. */
export function asUpload(value: unknown, described = ""): Encoded {
  const type = checkedHeader("Content-Type", typeOf(value, described));
  const name = fileName(value);
  return [blobOf(value), name && !described ? [type, ["Content-Disposition", attachment(name)]] : [type]];
}

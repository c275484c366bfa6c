import type { Codec, DecodingOptions } from "../codec.js";
import { Document, DocumentError, DocumentObject } from "../document.js";
import { LintelError } from "../errors.js";
import { readJSON } from "../json.js";
import { Field, Link, type Schema } from "../link.js";
import { textOf } from "../text.js";
import { resolve } from "../urls.js";

type Raw = ReadonlyMap<string, unknown>;

const MEDIA_TYPE = "application/coreapi+json";
export const TYPES = ["object", "array", "number", "integer", "string", "boolean", "null"];
/** The member with what Core JSON cannot express; of it, only why a link cannot be called is read. */
export const EXTENSION = "x-lintel";
/** Deeper trees are rejected in both directions. */
export const MAX_DEPTH = 100;
export const RESERVED = /^_+(?:type|meta)$/;

/**
 * Core JSON, the native format: JSON in which `_type` marks documents, links and errors.
 *
 * Reading is lenient: a value of the wrong type counts as missing. Data with the keys `_type` and `_meta`
 * has them written with one more leading underscore.
 */
export class CoreJSONReader implements Codec {
  readonly format = "corejson";
  readonly mediaTypes = [MEDIA_TYPE, "application/vnd.coreapi+json"];
  readonly readsDocuments = true;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): Document | DocumentError {
    const text = textOf(content, "", true);
    const raw = readJSON(text, { maps: true, bigint: options.bigint ?? false });
    const tree = readValue(raw, options.baseUrl ?? "", 0);
    if (tree instanceof DocumentObject) return new Document({ mediaType: MEDIA_TYPE }, new Map(tree));
    if (tree instanceof Document || tree instanceof DocumentError) return tree;
    throw new LintelError("parse", "The top level of Core JSON must be a document or an error");
  }

  load(content: Uint8Array | string, options?: DecodingOptions): Document | DocumentError {
    return this.decode(content, options);
  }
}

function readValue(raw: unknown, baseUrl: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new LintelError("parse", `nested too deeply: more than ${MAX_DEPTH} levels`);
  if (Array.isArray(raw)) return raw.map((item) => readValue(item, baseUrl, depth + 1));
  if (!(raw instanceof Map)) return raw;
  const type: unknown = raw.get("_type");
  if (type === "document") return readDocument(raw, baseUrl, depth);
  if (type === "link") return readLink(raw, baseUrl);
  const content = readContent(raw, baseUrl, depth);
  return type === "error" ? new DocumentError(text(mapping(raw, "_meta"), "title"), content) : new DocumentObject(content);
}

function readContent(raw: Raw, baseUrl: string, depth: number): Map<string, unknown> {
  const content = new Map<string, unknown>();
  for (const [key, value] of raw) {
    const isReserved = RESERVED.test(key);
    if (isReserved && key[1] !== "_") continue;
    content.set(isReserved ? key.slice(1) : key, readValue(value, baseUrl, depth + 1));
  }
  return content;
}

function readDocument(raw: Raw, baseUrl: string, depth: number): Document {
  const meta = mapping(raw, "_meta");
  const url = resolve(baseUrl, text(meta, "url"));
  return new Document({ ...texts(meta, "title", "description"), url, mediaType: MEDIA_TYPE }, readContent(raw, url, depth));
}

function readLink(raw: Raw, baseUrl: string): Link {
  const fields = raw.get("fields");
  return new Link({
    ...texts(raw, "action", "encoding", "transform", "title", "description"),
    url: resolve(baseUrl, text(raw, "url")),
    fields: Array.isArray(fields) ? fields.filter((field) => field instanceof Map).map(readField) : [],
    problem: text(mapping(raw, EXTENSION), "problem"),
  });
}

function readField(raw: Raw): Field {
  const schema = raw.get("schema");
  return new Field({
    name: text(raw, "name"),
    ...texts(raw, "location"),
    required: raw.get("required") === true,
    schema: schema instanceof Map ? readSchema(schema) : null,
  });
}

function readSchema(raw: Raw): Schema {
  const type = text(raw, "_type");
  const values = raw.get("enum");
  return {
    ...(TYPES.includes(type) ? { type } : {}),
    ...(type === "enum" ? { enum: Array.isArray(values) ? values : [] } : {}),
    ...texts(raw, "title", "description"),
  };
}

function text(raw: Raw, key: string): string {
  const value = raw.get(key);
  return typeof value === "string" ? value : "";
}

function texts(raw: Raw, ...keys: string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, text(raw, key)]));
}

function mapping(raw: Raw, key: string): Raw {
  const value = raw.get(key);
  return value instanceof Map ? value : new Map();
}

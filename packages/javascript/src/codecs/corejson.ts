import type { Codec, DecodingOptions } from "../codec.js";
import { Document, DocumentError, DocumentNode, DocumentObject } from "../document.js";
import { LintelError } from "../errors.js";
import { readJSON, writeJSON } from "../json.js";
import { Field, Link, type Schema } from "../link.js";
import { textOf } from "../text.js";
import { relative, resolve } from "../urls.js";

type Raw = ReadonlyMap<string, unknown>;

const MEDIA_TYPE = "application/coreapi+json";
const TYPES = ["object", "array", "number", "integer", "string", "boolean", "null"];
/** Deeper trees are refused in both directions. */
const MAX_DEPTH = 100;
const RESERVED = /^_+(?:type|meta)$/;

/**
 * Core JSON, the native format: JSON in which `_type` tells documents, links and errors.
 *
 * Reading is forgiving: a value of the wrong type counts as missing. The keys `_type` and `_meta` of data
 * travel with one more leading underscore.
 */
export class CoreJSONCodec implements Codec {
  readonly format = "corejson";
  readonly mediaTypes = [MEDIA_TYPE, "application/vnd.coreapi+json"];
  readonly readsDocuments = true;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): Document | DocumentError {
    const text = textOf(content, "", true);
    const raw = readJSON(text, { maps: true, bigint: options.bigint ?? false });
    const tree = readValue(raw, options.baseUrl ?? "", 0);
    if (tree instanceof DocumentObject) return new Document({ mediaType: MEDIA_TYPE }, new Map(tree));
    if (tree instanceof Document || tree instanceof DocumentError) return tree;
    throw new LintelError("parse", "Core JSON must hold a document or an error at the top");
  }

  encode(document: unknown, options: { indent?: boolean } = {}): string {
    const primitives = written(document, "", 0);
    return options.indent ? JSON.stringify(asObjects(primitives), null, 4) : writeJSON(primitives);
  }

  load(content: Uint8Array | string, options?: DecodingOptions): Document | DocumentError {
    return this.decode(content, options);
  }

  dump(document: unknown, options?: { indent?: boolean }): string {
    return this.encode(document, options);
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
  const texts = { url, title: text(meta, "title"), description: text(meta, "description"), mediaType: MEDIA_TYPE };
  return new Document(texts, readContent(raw, url, depth));
}

function readLink(raw: Raw, baseUrl: string): Link {
  const fields = raw.get("fields");
  return new Link({
    url: resolve(baseUrl, text(raw, "url")),
    action: text(raw, "action"),
    encoding: text(raw, "encoding"),
    transform: text(raw, "transform"),
    title: text(raw, "title"),
    description: text(raw, "description"),
    fields: Array.isArray(fields) ? fields.filter((field) => field instanceof Map).map(readField) : [],
  });
}

function readField(raw: Raw): Field {
  const schema = raw.get("schema");
  return new Field({
    name: text(raw, "name"),
    required: raw.get("required") === true,
    location: text(raw, "location"),
    schema: schema instanceof Map ? readSchema(schema) : null,
  });
}

function readSchema(raw: Raw): Schema {
  const type = text(raw, "_type");
  const values = raw.get("enum");
  return {
    ...(TYPES.includes(type) ? { type } : {}),
    ...(type === "enum" ? { enum: Array.isArray(values) ? values : [] } : {}),
    title: text(raw, "title"),
    description: text(raw, "description"),
  };
}

function text(raw: Raw, key: string): string {
  const value = raw.get(key);
  return typeof value === "string" ? value : "";
}

function mapping(raw: Raw, key: string): Raw {
  const value = raw.get(key);
  return value instanceof Map ? value : new Map();
}

// Writing: document -> Maps and lists, in which the order of keys is kept.

function written(value: unknown, baseUrl: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new LintelError("encode", `nested too deeply: more than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => written(item, baseUrl, depth + 1));
  if (value instanceof Link) return writtenLink(value, baseUrl);
  if (!(value instanceof DocumentNode)) return value;
  const inner = value instanceof Document ? value.url || baseUrl : baseUrl;
  const head = value instanceof Document ? documentHead(value, baseUrl) : errorHead(value);
  for (const [key, item] of value) {
    head.set(RESERVED.test(key) ? `_${key}` : key, written(item, inner, depth + 1));
  }
  return head;
}

function documentHead(document: Document, baseUrl: string): Map<string, unknown> {
  // The outermost document has nothing to be relative to.
  const url = baseUrl ? relative(baseUrl, document.url) : document.url;
  return head("document", { url, title: document.title, description: document.description });
}

function errorHead(node: DocumentNode): Map<string, unknown> {
  return node instanceof DocumentError ? head("error", { title: node.title }) : new Map();
}

function head(type: string, meta: Record<string, string>): Map<string, unknown> {
  const given = truthy(meta);
  return new Map<string, unknown>([["_type", type], ...(given.size ? [["_meta", given] as const] : [])]);
}

function writtenLink(link: Link, baseUrl: string): Map<string, unknown> {
  const { action, encoding, transform, title, description, fields } = link;
  const url = relative(baseUrl, link.url);
  const shown = truthy({ _type: "link", url, action, encoding, transform, title, description });
  return fields.length ? shown.set("fields", fields.map(writtenField)) : shown;
}

function writtenField({ name, required, location, schema }: Field): Map<string, unknown> {
  const shown = truthy({ required, location }, [["name", name]]);
  return schema ? shown.set("schema", writtenSchema(schema)) : shown;
}

function writtenSchema(schema: Schema): Map<string, unknown> {
  const values = schema["enum"];
  const type = String(schema["type"]);
  const name = Array.isArray(values) ? "enum" : TYPES.includes(type) ? type : "anything";
  const shown = new Map<string, unknown>([["_type", name], ["title", schema["title"] ?? ""], ["description", schema["description"] ?? ""]]);
  return Array.isArray(values) ? shown.set("enum", values) : shown;
}

function truthy(values: Record<string, unknown>, first: [string, unknown][] = []): Map<string, unknown> {
  return new Map([...first, ...Object.entries(values).filter(([, value]) => value)]);
}

function asObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asObjects);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, inner]) => [key, asObjects(inner)]));
}

import { Document, DocumentError, DocumentNode } from "../document.js";
import { LintelError } from "../errors.js";
import { indented, writeJSON } from "../json.js";
import { type Field, Link, type Schema } from "../link.js";
import { relative } from "../urls.js";
import { CoreJSONReader, EXTENSION, MAX_DEPTH, RESERVED, TYPES } from "./corejson-reader.js";

/** Reads and writes Core JSON. */
export class CoreJSONCodec extends CoreJSONReader {
  /** Return the text of a document, compact, or indented by 4 spaces with `indent`. */
  encode(document: unknown, options: { indent?: boolean } = {}): string {
    const primitives = written(document, "", 0);
    return options.indent ? indented(writeJSON(primitives)) : writeJSON(primitives);
  }

  dump(document: unknown, options?: { indent?: boolean }): string {
    return this.encode(document, options);
  }
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
  // The outermost document has no base to be relative to.
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
  const { action, encoding, transform, title, description, fields, problem } = link;
  const url = relative(baseUrl, link.url);
  const extension = problem && new Map([["problem", problem]]);
  const shown = truthy({ _type: "link", url, action, encoding, transform, title, description, [EXTENSION]: extension });
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

/** Writes documents as OpenAPI 3.1, which the clients in both languages read into the same operations. */
import type { Codec } from "../codec.js";
import { Names } from "../codecs/relations.js";
import { Document, DocumentNode } from "../document.js";
import { LintelError } from "../errors.js";
import { indented, writeJSON } from "../json.js";
import { type Body, type Field, Link, type PartEncoding } from "../link.js";
import { isJSON } from "../request/bodies.js";
import { resolve } from "../urls.js";
import { OpenAPICodec as OpenAPIReader } from "./codec.js";
import { type Written, filled, packed, requestParts, shape, some, textsLeft, withPlainVariables } from "./extension-writer.js";
import { type Named, keyPaths } from "./names.js";
import { NESTED, documentOf } from "./nested-forms.js";
import { type Node, list, mapping, text } from "./nodes.js";
import { SchemaWriter } from "./schemas.js";

export type { OpenAPIOptions } from "./codec.js";

const MAX_DEPTH = 100;
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const QUERY_METHODS = ["get", "head", "delete", "options"];
const LOCATIONS = ["path", "query", "querystring", "header", "cookie"];

type Keys = readonly (string | number)[];

/** Reads OpenAPI 2.0 to 3.2 in JSON, and writes 3.1. */
export class OpenAPICodec extends OpenAPIReader implements Codec {
  /**
   * Return the text of a document, indented by 4 spaces with `indent`. What OpenAPI cannot express is written in
   * extensions, `x-lintel`. Throws a LintelError with the code "encode" for anything but a document.
   */
  encode(document: unknown, options: { indent?: boolean } = {}): string {
    if (!(document instanceof Document)) throw new LintelError("encode", "OpenAPI describes documents, and nothing else");
    const tree = new Encoder(document, this).tree();
    return options.indent ? indented(writeJSON(tree)) : writeJSON(tree);
  }
}

/** A link, the keys that lead to it, and the URL that it is relative to. */
interface Found {
  readonly keys: Keys;
  readonly link: Link;
  readonly url: string;
}

class Encoder {
  readonly #paths: Record<string, Record<string, any>> = {};
  readonly #schemas: SchemaWriter;
  readonly #identifiers = new Names();
  readonly #schemes: Written = {};
  readonly #origin: string;

  constructor(
    readonly document: Document,
    readonly reader: OpenAPIReader,
  ) {
    this.#schemas = new SchemaWriter(document.definitions);
    this.#origin = originOf(document.url) || originOf([...links(document, document.url)][0]?.url ?? "");
  }

  tree(): Written {
    const found = [...links(this.document, this.document.url)];
    const operations = found.map((each) => this.#placed(each));
    keepKeys(operations, found.map(({ keys }) => keys));
    const tree = this.#whole();
    const again = this.reader.fromData(JSON.parse(writeJSON(tree)), { baseUrl: this.document.url });
    found.forEach((each, at) => complete(operations[at]!.node, each, again.getIn(each.keys)));
    return tree;
  }

  #whole(): Written {
    const { title, description, url, definitions } = this.document;
    const info = { title, version: text(mapping(definitions["info"])["version"]), ...some({ description }) };
    const components = some({ schemas: filled(this.#schemas.definitions), securitySchemes: filled(this.#schemes) });
    const data = mapping(dataOf(this.document, 0));
    return {
      ...{ openapi: "3.1.1", info, ...(this.#origin ? { servers: [{ url: this.#origin }] } : {}) },
      ...{ paths: this.#paths, components },
      ...some({ "x-lintel-data": filled(data), "x-lintel": url && { url } }),
    };
  }

  /** Put an operation where its path and method are free; a fragment distinguishes equal paths. */
  #placed({ keys, link, url }: Found): Operation {
    const method = (link.action || "get").toLowerCase();
    const holder = (path: string): Written => {
      const item = (this.#paths[path] ??= {});
      return METHODS.includes(method) ? item : (item["x-additionalOperations"] ??= {});
    };
    const plain = plainPath(url);
    let path = plain;
    for (let number = 2; Object.hasOwn(holder(path), method); number++) path = `${plain}#${number}`;
    const node = this.#operation(keys, link, url);
    holder(path)[method] = node;
    const tag = text(list(node["tags"])[0]);
    return { node, named: { method, path, operationId: text(node["operationId"]), tag, keys: [] } };
  }

  #operation(keys: Keys, link: Link, url: string): Written {
    const tag = keys.length > 1 ? String(keys[0]) : "";
    const bodies = bodiesOf(link);
    const content = Object.fromEntries(bodies.map((body) => [body.mediaType, this.#media(body)]));
    const isNamed = link.operationId || link.writer === null;
    return {
      ...(isNamed ? { operationId: this.#identifiers.unused(link.operationId || keys.join("_") || "operation") } : {}),
      ...some({ tags: tag && [tag], summary: link.title, description: link.description, deprecated: link.deprecated, parameters: filled(this.#parameters(link, url)) }),
      ...(bodies.length ? { requestBody: { content, ...some({ required: bodies.some(({ required }) => required) }) } } : {}),
      ...(link.security ? { security: link.security.map((all) => Object.fromEntries(all.map((scheme) => [this.#scheme(scheme), []]))) } : {}),
      responses: this.#responses(link),
    };
  }

  #responses({ result }: Link): Written {
    if (!result) return { default: { description: "" } };
    if (result["type"] === "null") return { 204: { description: "" } };
    return { 200: { description: "", content: { "application/json": { schema: this.#schemas.write(result) } } } };
  }

  #parameters(link: Link, url: string): Written[] {
    const names = plainVariables(url);
    const wanted = link.fields.filter((field) => LOCATIONS.includes(locationOf(field, link)) && (locationOf(field, link) !== "path" || names.includes(field.name)));
    const unique = new Map(wanted.filter(({ name }) => name).map((field) => [`${locationOf(field, link)} ${field.name}`, field]));
    const missing = names.filter((name) => !unique.has(`path ${name}`)).map((name) => ({ name, in: "path", required: true, schema: {} }));
    return [...[...unique.values()].map((field) => this.#parameter(field, locationOf(field, link))), ...missing];
  }

  #parameter(field: Field, location: string): Written {
    const schema = this.#schemas.write(field.schema ?? {});
    const shown = some({ required: field.required || location === "path", description: field.description, deprecated: field.deprecated });
    const written = { name: field.name, in: location, ...shown, ...(field.example === undefined ? {} : { example: field.example }) };
    if (field.contentType) return { ...written, content: { [field.contentType]: { schema } } };
    return { ...written, ...(field.style ? { style: field.style, explode: field.explode } : {}), ...some({ allowReserved: field.allowReserved }), schema };
  }

  #media({ mediaType, fields, parts }: Body): Written {
    const whole = fields.find(({ location }) => location === "body");
    const properties = fields.filter((field) => field !== whole && field.name);
    const schema = whole?.schema ?? objectSchema(properties);
    const encoding = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, writtenPart(part)]));
    return { schema: this.#schemas.write(schema), ...(isJSON(mediaType) ? {} : some({ encoding: filled(encoding) })) };
  }

  /** Describe a security scheme as the description does that the document is from; return its name. */
  #scheme({ name, type, scheme, in: location, parameter }: { name: string; type: string; scheme?: string; in?: string; parameter?: string }): string {
    const own = mapping(mapping(this.document.definitions["components"])["securitySchemes"])[name];
    const written = mapping(own)["type"] ? own : { type, ...some({ scheme, in: location, name: parameter }), ...(type === "oauth2" ? { flows: {} } : {}) };
    if (type !== "unknown") this.#schemes[name] = written;
    return name;
  }
}

interface Operation {
  readonly node: Written;
  readonly named: Named;
}

/** Write the keys of operations that readers would otherwise derive differently. */
function keepKeys(operations: Operation[], wanted: readonly Keys[]): void {
  const known = operations.map(({ named }) => named);
  for (;;) {
    const paths = keyPaths(known, new Set());
    const wrong = known.map((_, at) => at).filter((at) => !known[at]!.keys.length && JSON.stringify(paths[at]) !== JSON.stringify(wanted[at]));
    if (!wrong.length) return;
    // Written keys leave their group, which may change what readers derive for others.
    for (const at of wrong) {
      known[at] = { ...known[at]!, keys: wanted[at] as readonly string[] };
      operations[at]!.node["x-lintel-keys"] = wanted[at];
    }
  }
}

/** Add to an operation what reading it `again` does not give. */
function complete(node: Written, { link, url }: Found, again: unknown): void {
  const read = again instanceof Link ? again : new Link();
  const left = textsLeft(link, url, read);
  const isPlain = link.writer === null && !link.problem;
  // Values are then written without styles, and the URL is a template of its own.
  if (isPlain) Object.assign(left, { url, path: "", tags: packed([]), servers: packed([]) });
  if (isPlain || shape(link) !== shape(read)) {
    // Readers write the variables of the path in the styles of these fields.
    if (!isPlain) left["url"] = withPlainVariables(url);
    Object.assign(left, requestParts(link));
  }
  if (Object.keys(left).length) node["x-lintel"] = left;
}

function* links(node: unknown, url: string, keys: Keys = []): Iterable<Found> {
  if (keys.length > MAX_DEPTH) throw new LintelError("encode", `nested too deeply: more than ${MAX_DEPTH} levels`);
  if (node instanceof Link) yield { keys, link: node, url: resolve(url, node.url) };
  const home = node instanceof Document ? node.url || url : url;
  if (node instanceof DocumentNode) for (const [key, inner] of node) yield* links(inner, home, [...keys, key]);
  if (Array.isArray(node)) for (const [at, inner] of node.entries()) yield* links(inner, home, [...keys, at]);
}

/** Return the data of a document without its links, which restore their own groups. */
function dataOf(node: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new LintelError("encode", `nested too deeply: more than ${MAX_DEPTH} levels`);
  if (Array.isArray(node)) return node.map((item) => (item instanceof Link ? null : dataOf(item, depth + 1)));
  if (!(node instanceof DocumentNode)) return node;
  const isLinks = (value: unknown): boolean => value instanceof Link || (Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof Link));
  const inner = [...node].filter(([, value]) => !isLinks(value)).map(([key, value]) => [key, dataOf(value, depth + 1), value] as const);
  const isNothing = (data: unknown, value: unknown): boolean => value instanceof DocumentNode && value.size > 0 && !Object.keys(mapping(data)).length;
  return Object.fromEntries(inner.filter(([, data, value]) => !isNothing(data, value)).map(([key, data]) => [key, data]));
}

function locationOf({ location }: Field, { action }: Link): string {
  return location || (QUERY_METHODS.includes((action || "get").toLowerCase()) ? "query" : "form");
}

function bodiesOf(link: Link): readonly Body[] {
  if (link.bodies.length) return link.bodies;
  const fields = link.fields.filter((field) => ["form", "body"].includes(locationOf(field, link)));
  return fields.length ? [{ mediaType: link.encoding || "application/json", fields, parts: {}, required: false }] : [];
}

function objectSchema(fields: readonly Field[]): Node {
  if (!fields.length) return {};
  const required = [...new Set(fields.filter((field) => field.required).map(({ name }) => name))];
  return { type: "object", properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema ?? {}])), ...some({ required: filled(required) }) };
}

function writtenPart({ headers = [], style, ...part }: PartEncoding): Written {
  const document = documentOf(style);
  const named = document === null ? some({ style }) : { [NESTED]: document };
  return { ...part, ...named, ...(headers.length ? { headers: Object.fromEntries(headers.map(([name, value]) => [name, { schema: { enum: [value] } }])) } : {}) };
}

/** Return a URL's path and query with its variables as OpenAPI writes them; those of the query are parameters. */
function plainPath(url: string): string {
  const path = withPlainVariables(url).replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/, "").replace(/#.*$/s, "");
  return path.startsWith("/") ? path : `/${path}`;
}

function plainVariables(url: string): string[] {
  return [...plainPath(url).replace(/\?.*$/s, "").matchAll(/\{([^{}/]+)\}/g)].map(([, name]) => name!);
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#{}]+/.exec(url)?.[0] ?? "";
}

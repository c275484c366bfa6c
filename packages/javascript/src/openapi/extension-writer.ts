/** What the extension `x-lintel` of an encoded link says; `extension.ts` reads it. */
import type { Body, Field, Link, PartEncoding } from "../link.js";
import type { Node } from "./nodes.js";

export type Written = Record<string, unknown>;

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
/** What the extension of a link says in its own words, and what it is called there. */
const TEXTS = { url: "url", action: "action", encoding: "encoding", transform: "transform", title: "title", description: "description", problem: "problem", operationId: "operation_id" } as const;

/** Return the texts of a link that reading it `again` does not give. */
export function textsLeft(link: Link, url: string, again: Link): Written {
  const found = Object.entries(TEXTS) as [keyof typeof TEXTS, string][];
  const values = found.map(([name, written]) => [written, name === "url" ? url : link[name], again[name]] as const);
  return Object.fromEntries(values.filter(([, value, read]) => value !== read).map(([written, value]) => [written, value]));
}

/** Return all fields and bodies of a link. */
export function requestParts(link: Link): Written {
  return { encoding: link.encoding, fields: packed(link.fields.map((field) => packedField(field))), bodies: packed(link.bodies.map(packedBody)) };
}

/** What decides about requests, to be compared. */
export function shape({ fields, bodies }: Link): string {
  const told = (field: Field): unknown[] => [field.name, field.required, field.location, field.style, field.explode, field.allowReserved, field.contentType];
  return JSON.stringify([fields.map(told), bodies.map((body) => [body.mediaType, body.required, body.fields.map(told), body.parts])]);
}

export function packed(items: unknown[]): Written {
  return { _: "tuple", items };
}

function packedField(field: Field, { style, explode, allowReserved, contentType, headers }: PartEncoding = field as PartEncoding): Written {
  const { name, required, location, schema, description, deprecated } = field;
  const texts = some({ required, location, description, deprecated, style, allow_reserved: allowReserved, content_type: contentType });
  const shown = style && explode !== undefined ? { explode } : {};
  const source = schema && { _: "JSONSchema", source: withoutReferences(schema) };
  const parts = (headers ?? []).map(([key, value]) => ({ _: "Field", name: key, location: "header", schema: { _: "JSONSchema", source: { enum: [value] } } }));
  return { _: "Field", name, ...texts, ...shown, ...some({ schema: source, headers: parts.length && packed(parts) }) };
}

function packedBody({ mediaType, required, fields, parts }: Body): Written {
  const items = fields.map((field) => packedField(field, field.location === "form" ? (parts[field.name] ?? {}) : undefined));
  return { _: "Body", media_type: mediaType, ...some({ required }), fields: packed(items) };
}

/** A schema in an extension says only what it says itself. */
function withoutReferences(schema: Node): Node {
  return Object.fromEntries(Object.entries(schema).filter(([key, value]) => key !== "$ref" && !JSON.stringify(value)?.includes('"$ref"')));
}

/** Return a template whose path has its variables as OpenAPI writes them, without those of the query. */
export function withPlainVariables(url: string): string {
  return url.replace(EXPRESSION, (_whole, operator: string, listed: string) => {
    if (["?", "&", "#"].includes(operator)) return "";
    const names = listed.split(",").filter(Boolean).map((name) => unquoted(name.replace(/:.*$|\*+$/g, "")));
    return names.map((name) => `${operator === "/" ? "/" : ""}{${name}}`).join("");
  });
}

function unquoted(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Return the members that are not empty. */
export function some(members: Written): Written {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value));
}

export function filled<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length ? value : undefined;
}

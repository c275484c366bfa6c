import { type Body, Field, type LinkInit, type PartEncoding } from "../link.js";
import { type Node, list, mapping, text } from "./nodes.js";
import { styledPath } from "./parameters.js";
import { styledWriter } from "./writer.js";

const TEXTS = ["url", "action", "encoding", "transform", "title", "description", "problem"];

/**
 * Return a link with what the extension `x-lintel` says of its request instead of its own: the Python client stores
 * there what a format cannot express. Values of the wrong type count as missing.
 */
export function extended(link: LinkInit, raw: unknown): LinkInit {
  const extension = mapping(raw);
  const texts = TEXTS.filter((name) => typeof extension[name] === "string").map((name) => [name, extension[name]]);
  const bodies = "bodies" in extension ? items(extension["bodies"]).map(readBody) : (link.bodies ?? []);
  if (!("fields" in extension)) return { ...link, ...Object.fromEntries(texts), bodies };
  const changed: LinkInit = { ...link, ...Object.fromEntries(texts), bodies, fields: items(extension["fields"]).map(readField), writer: null };
  return bodies.length || fieldsOf(changed).some(({ style, contentType }) => style || contentType) ? styled(changed) : changed;
}

function styled(link: LinkInit): LinkInit {
  return { ...link, url: styledPath(link.url ?? "", fieldsOf(link)), writer: styledWriter };
}

function fieldsOf({ fields = [] }: LinkInit): Field[] {
  return fields.filter((field) => field instanceof Field);
}

/** Return the members of a stored tuple. */
function items(raw: unknown): Node[] {
  return list(mapping(raw)["items"]).map(mapping);
}

function readField(raw: Node): Field {
  const style = text(raw["style"]);
  return new Field({
    name: text(raw["wire_name"]) || text(raw["name"]),
    required: raw["required"] === true,
    location: text(raw["location"]),
    schema: schemaOf(mapping(raw["schema"])),
    description: text(raw["description"]),
    example: raw["example"],
    deprecated: raw["deprecated"] === true,
    style,
    explode: (raw["explode"] ?? ["form", "cookie", "deepObject"].includes(style)) === true,
    allowReserved: raw["allow_reserved"] === true,
    contentType: text(raw["content_type"]),
  });
}

function schemaOf(raw: Node): Node {
  const kind = text(raw["_"]);
  if (kind === "JSONSchema") return mapping(raw["source"]);
  const values = list(mapping(raw["enum"])["items"]);
  const type = kind.replace("schemas.", "").toLowerCase();
  return values.length ? { enum: values } : ["", "anything", "enum"].includes(type) ? {} : { type };
}

function readBody(raw: Node): Body {
  const fields = items(raw["fields"]);
  const parts = fields.filter((field) => field["location"] === "form").map((field) => [text(field["name"]), partOf(field)]);
  return { mediaType: text(raw["media_type"]), required: raw["required"] === true, fields: fields.map(readField), parts: Object.fromEntries(parts) };
}

function partOf(raw: Node): PartEncoding {
  const { style, explode, allow_reserved: allowReserved, content_type: contentType } = raw;
  const stated = Object.entries({ style, explode, allowReserved, contentType }).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const headers = items(raw["headers"]).map((header) => [text(header["name"]), fixedValue(schemaOf(mapping(header["schema"])))] as const);
  return { ...Object.fromEntries(stated), headers: headers.filter(([, value]) => value) };
}

function fixedValue(schema: Node): string {
  const values = list(schema["enum"]);
  const value = schema["default"] ?? schema["const"] ?? (values.length === 1 ? values[0] : "");
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
}

import { type Body, Field, type Link, type LinkInit, type PartEncoding } from "../link.js";
import { isJSON } from "../request/bodies.js";
import { scalarText } from "../request/values.js";
import { mediaTypeOf } from "../text.js";
import { nestedStyle } from "./nested-forms.js";
import { BrokenReference, type Description, type Node, followed, list, mapping, text } from "./nodes.js";

const FORMS = ["application/x-www-form-urlencoded", "multipart/form-data"];
/** Bodies with more properties are a single field. */
const MAX_FIELDS = 2000;

/** Return the bodies of a request, JSON first, then forms, then all others. */
export function readBodies(description: Description, node: unknown, taken: ReadonlySet<string>): Body[] {
  if (!node) return [];
  const request = followed(description, node, "request body");
  const content = mapping(request["content"]);
  const named = Object.entries(content).filter(([type]) => type);
  // A media type without a name is JSON if it is the only one.
  if (!Object.keys(content).length && request["required"] === true) throw new BrokenReference("A request body must have a media type");
  const types = named.length || !("" in content) ? named : [["application/json", content[""]] as const];
  const bodies = types.map(([type, media]) => readBody(description, type, mapping(media), request, taken));
  return bodies.sort((left, right) => rank(left.mediaType) - rank(right.mediaType));
}

function rank(mediaType: string): number {
  return isJSON(mediaType) ? 0 : FORMS.includes(mediaTypeOf(mediaType)) ? 1 : 2;
}

function readBody(description: Description, mediaType: string, media: Node, request: Node, taken: ReadonlySet<string>): Body {
  const isRequired = request["required"] === true;
  const encoding = mapping(media["encoding"]);
  const found = rank(mediaType) < 2 ? properties(description, media["schema"]) : new Map<string, Node>();
  if (rank(mediaType) === 1) for (const name of undeclared(description, media["schema"], encoding)) found.set(name, {});
  const required = isRequired ? requiredNames(description, media["schema"]) : [];
  const fields = [...found]
    .slice(0, MAX_FIELDS)
    .map(([name, schema]) => propertyField(name, schema, required.includes(name)));
  const name = wholeName(new Set([...taken, ...found.keys()]));
  const whole = new Field({
    name,
    location: "body",
    required: isRequired && !fields.length,
    schema: mapping(media["schema"]),
    description: text(request["description"]),
  });
  const parts = Object.entries(encoding).map(([key, how]) => [key, partEncoding(description, mapping(how))]);
  return { mediaType, fields: [...fields, whole], parts: Object.fromEntries(parts), required: isRequired };
}

function partEncoding(description: Description, how: Node): PartEncoding {
  const headers = Object.entries(mapping(how["headers"])).flatMap(([name, node]) => partHeader(name, resolved(description, node)));
  return { ...(how as PartEncoding), ...nestedStyle(how), headers };
}

/** A header with a fixed value: a constant, a default, or the example of a required one. */
function partHeader(name: string, header: Node): [string, string][] {
  const schema = mapping(header["schema"]);
  const values = list(schema["enum"]);
  const example = header["required"] === true ? header["example"] : undefined;
  const value = schema["default"] ?? schema["const"] ?? (values.length === 1 ? values[0] : example);
  return value === undefined || name.toLowerCase() === "content-type" ? [] : [[name, scalarText(value)]];
}

/** Return a name for the whole body: `body`, or another one if that is taken. */
function wholeName(taken: ReadonlySet<string>): string {
  let name = "body";
  while (taken.has(name)) name = `whole_${name}`;
  return name;
}

function propertyField(name: string, schema: Node, required: boolean): Field {
  const deprecated = schema["deprecated"] === true;
  return new Field({ name, required, location: "form", schema, description: text(schema["description"]), deprecated });
}

/** Return a schema, then those of its `allOf`, then theirs, each once even if they refer to each other. */
export function combined(description: Description, schema: unknown): Set<Node> {
  const found = new Set<Node>();
  const waiting: unknown[] = [schema];
  while (waiting.length) {
    const node = resolved(description, waiting.shift());
    if (!found.has(node)) waiting.push(...list(node["allOf"]));
    found.add(node);
  }
  return found;
}

/** Return the writable properties of a schema; its own take precedence over those of `allOf`. */
function properties(description: Description, schema: unknown): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const node of combined(description, schema)) {
    for (const [name, inner] of Object.entries(mapping(node["properties"]))) {
      const isSent = name && resolved(description, inner)["readOnly"] !== true;
      if (isSent && !found.has(name)) found.set(name, mapping(inner));
    }
  }
  return found;
}

/** Return the properties whose encoding a form describes, but which its schema does not name. */
function undeclared(description: Description, schema: unknown, encoding: Node): string[] {
  const declared = [...combined(description, schema)].flatMap((node) => Object.keys(mapping(node["properties"])));
  const hasSchema = Object.keys(mapping(schema)).length > 0;
  return hasSchema ? Object.keys(encoding).filter((name) => name && !declared.includes(name)) : [];
}

function requiredNames(description: Description, schema: unknown): string[] {
  return [...combined(description, schema)].flatMap((node) => list(node["required"]).map(String));
}

/** Return a schema, {} if it cannot be found: its value is then sent unchecked. */
function resolved(description: Description, schema: unknown): Node {
  try {
    return followed(description, schema ?? {}, "schema");
  } catch (error) {
    if (error instanceof BrokenReference) return {};
    throw error;
  }
}

/** Return changes of a link that select the media type they name, with the fields of that body. */
export function withBodyFields(link: Link, changes: LinkInit): LinkInit {
  const body = link.bodies.find(({ mediaType }) => mediaType === changes.encoding);
  const kept = link.fields.filter(({ location }) => location !== "form" && location !== "body");
  return body ? { fields: [...kept, ...body.fields], ...changes } : changes;
}

import { Field, type FieldInit } from "../link.js";
import { type Description, type Node, followed, list, mapping, text } from "./nodes.js";
import { newParameter } from "./swagger.js";

// Header parameters of these names must be ignored (OpenAPI 3.1.1, 4.8.12.1).
const IGNORED = ["accept", "content-type", "authorization"];
// These frame the message or name the host; callers cannot set them.
const FRAMING = ["host", "content-length", "transfer-encoding", "connection", "upgrade"];
const DELIMITED = ["spaceDelimited", "pipeDelimited", "tabDelimited"];
/** The styles of each location, the default first. */
const STYLES: Readonly<Record<string, readonly string[]>> = {
  path: ["simple", "label", "matrix", ...DELIMITED],
  query: ["form", "deepObject", ...DELIMITED],
  header: ["simple", ...DELIMITED],
  cookie: ["form", "cookie"],
  querystring: ["form"],
};

/** Return the parameters of an operation, and those of its path item that it does not override. */
export function mergedParameters(description: Description, own: unknown, shared: unknown): Node[] {
  const found = new Map<string, Node>();
  for (const node of [...list(own), ...list(shared)]) {
    const parameter = followed(description, node, "parameter");
    const key = JSON.stringify([parameter["in"], parameter["name"]]);
    if (!found.has(key) && text(parameter["name"])) found.set(key, parameter);
  }
  return [...found.values()];
}

/** Return the fields of all parameters outside of the body. */
export function readParameters(description: Description, parameters: readonly Node[], path: string): Field[] {
  return parameters.flatMap((parameter) => {
    const name = text(parameter["name"]);
    const location = text(parameter["in"]);
    const isFraming = location === "header" && FRAMING.includes(name.toLowerCase());
    if (isFraming) description.issues.push(`${path}: callers cannot set the header ${name}`);
    const isIgnored = isFraming || (location === "header" && IGNORED.includes(name.toLowerCase()));
    const isLost = location === "path" && !path.includes(`{${name}}`);
    if (isLost) description.issues.push(`${path}: the path has no place for the parameter ${name}`);
    return isIgnored || isLost || !STYLES[location] ? [] : [fieldOf(description, name, location, parameter)];
  });
}

function fieldOf(description: Description, name: string, location: string, parameter: Node): Field {
  const raw = description.isOld ? newParameter(parameter) : parameter;
  const [contentType = "", media] = Object.entries(mapping(raw["content"]))[0] ?? [];
  const schema = media === undefined ? raw["schema"] : mapping(media)["schema"];
  return new Field({
    ...described(raw, schema),
    ...styleOf(raw, location),
    name,
    location,
    required: location === "path" || raw["required"] === true,
    allowReserved: raw["allowReserved"] === true,
    contentType,
  });
}

function described(raw: Node, schema: unknown): Partial<FieldInit> {
  const [example] = Object.values(mapping(raw["examples"]));
  return {
    schema: mapping(schema),
    description: text(raw["description"]),
    example: raw["example"] ?? mapping(example)["value"],
    deprecated: raw["deprecated"] === true,
  };
}

function styleOf(raw: Node, location: string): { style: string; explode: boolean } {
  const legal = STYLES[location]!;
  const style = legal.includes(text(raw["style"])) ? text(raw["style"]) : legal[0]!;
  const explode = raw["explode"] ?? ["form", "cookie", "deepObject"].includes(style);
  return { style, explode: explode === true };
}

/** Return the template of a path in which each variable is written in the style of its field (RFC 6570). */
export function styledPath(path: string, fields: readonly Field[]): string {
  return path.replace(/\{([^{}/]+)\}/g, (_whole, name: string) => {
    const field = fields.find((each) => each.location === "path" && each.name === name);
    const operator = { label: ".", matrix: ";" }[field?.style ?? ""] ?? "";
    const written = name.replace(/[^\w.-]/g, (character) => encodeURIComponent(character).replace(/^[!'()*]$/, hexadecimal));
    return `{${operator}${written}${field?.explode ? "*" : ""}}`;
  });
}

function hexadecimal(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

import type { EventTypes } from "../link.js";
import { mediaTypeOf } from "../text.js";
import { type Description, type Node, list, mapping, reached, text } from "./nodes.js";

const MAX_DEPTH = 8;
const NO_TEXT = ["object", "array", "integer", "number", "boolean"];

/** Return which events a schema of one event (`itemSchema`, OpenAPI 3.2, 4.14.4) says to carry JSON. */
export function describedEvents(description: Description, schema: unknown): EventTypes {
  const [json, text, constants]: [string[], string[], string[]] = [[], [], []];
  for (const variant of variants(description, schema, 0)) {
    const { event, data } = properties(description, variant, 0);
    const names = values(reached(description, event)).filter(Boolean);
    for (const each of variants(description, data, 0)) {
      (isJSON(each) ? json : text).push(...(names.length ? names : [""]));
      constants.push(...values(each));
    }
  }
  return { json, text, constants };
}

/** Return the schema of the data of events, null if it may be anything. */
export function describedData(description: Description, schema: unknown): Node | null {
  const { json, text: texts } = describedEvents(description, schema);
  if (!json.length) return { type: "string" };
  const { data } = properties(description, reached(description, schema), 0);
  return texts.length || data === undefined ? null : mapping(reached(description, data)["contentSchema"]);
}

/** Return a schema and its alternatives at any depth. */
function variants(description: Description, schema: unknown, depth: number): Node[] {
  if (schema === undefined || depth > MAX_DEPTH) return [];
  const found = reached(description, schema);
  const parts = [...list(found["oneOf"]), ...list(found["anyOf"])];
  return [found, ...parts.flatMap((part) => variants(description, part, depth + 1))];
}

/** Return the properties of an object, including those of extended schemas. */
function properties(description: Description, schema: Node, depth: number): Node {
  const parts = depth > MAX_DEPTH ? [] : list(schema["allOf"]).map((part) => properties(description, reached(description, part), depth + 1));
  return Object.assign({}, ...parts, mapping(schema["properties"]));
}

function isJSON(data: Node): boolean {
  const mediaType = mediaTypeOf(text(data["contentMediaType"]));
  if (mediaType) return /[/+]json$/.test(mediaType);
  return [data["type"]].flat().some((type) => NO_TEXT.includes(type as string));
}

function values(schema: Node): string[] {
  return [...list(schema["enum"]), schema["const"]].filter((value) => typeof value === "string");
}

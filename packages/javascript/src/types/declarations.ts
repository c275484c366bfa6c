import { type Document, DocumentNode } from "../document.js";
import { type Field, Link, type StreamItem } from "../link.js";
import { callerName } from "../request/parameters.js";
import { TypeWriter, member } from "./schemas.js";

const NAMES = ["ActionOptions", "Client", "Document"];
const OPTIONAL = ["StreamEvent", "StreamOptions"];
/** Characters that act on a terminal, or show code in another order than it has. */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Return declarations for typed calls of all operations of a document: a client declared as
 * `ApiClient` knows the keys, the parameters and, where they are described, the results and the items of streams.
 */
export function typescriptTypes(document: Document): string {
  const writer = new TypeWriter(document.definitions);
  const links = operations(document);
  const found = links.map(([keys, link]) => overload(writer, keys, link));
  const streams = links.flatMap(([keys, link]) => (link.item ? [streamOverload(writer, keys, link, link.item)] : []));
  const used = OPTIONAL.filter((name) => streams.some((stream) => stream.includes(name)));
  const title = comment([`The operations of ${document.title || document.url || "an API"}.`]);
  const parts = [
    `import type { ${[...NAMES, ...used].join(", ")} } from "lintel-client";`,
    ...writer.declarations(),
    `${title}\nexport interface ApiClient extends Omit<Client, "action"${streams.length ? ' | "stream"' : ""}> {\n${[...found, ...streams].join("\n")}\n}`,
  ];
  return `${parts.join("\n\n")}\n`.replace(ACTING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function operations(node: DocumentNode, above: readonly string[] = []): [string[], Link][] {
  return [...node].flatMap(([key, value]): [string[], Link][] => {
    if (value instanceof Link) return [[[...above, key], value]];
    return value instanceof DocumentNode ? operations(value, [...above, key]) : [];
  });
}

function overload(writer: TypeWriter, keys: readonly string[], link: Link): string {
  const lines = [link.title || link.description.split("\n")[0]!, link.deprecated ? "@deprecated" : ""].filter(Boolean);
  const shown = lines.length ? `${comment(lines, "  ")}\n` : "";
  const params = parametersType(writer, link);
  const result = link.result ? writer.type(link.result) : "any";
  return `${shown}  action(document: Document, keys: readonly [${keys.map((key) => JSON.stringify(key)).join(", ")}], ${params}, options?: ActionOptions): Promise<${result}>;`;
}

function streamOverload(writer: TypeWriter, keys: readonly string[], link: Link, item: StreamItem): string {
  const params = parametersType(writer, link);
  const type = item.schema ? writer.type(item.schema) : "any";
  return `  stream(document: Document, keys: readonly [${keys.map((key) => JSON.stringify(key)).join(", ")}], ${params}, options?: StreamOptions): AsyncGenerator<${item.isEvent ? `StreamEvent<${type}>` : type}, void, void>;`;
}

/** Required parameters must be given; those of a body either one by one or as a whole body. */
function parametersType(writer: TypeWriter, link: Link): string {
  const whole = link.fields.find(({ location }) => location === "body");
  const inForm = link.fields.filter(({ location }) => location === "form");
  const others = link.fields.filter((field) => field !== whole && !inForm.includes(field));
  const single = membersType(writer, link, [...others, ...inForm, ...(whole && !inForm.length ? [whole] : [])]);
  const needsNothing = !link.fields.some(({ required }) => required);
  const types = whole && inForm.length ? [single, membersType(writer, link, [...others, whole], whole)] : [single];
  return `params${needsNothing ? "?" : ""}: ${[...new Set(types)].join(" | ")}`;
}

function membersType(writer: TypeWriter, link: Link, fields: readonly Field[], given?: Field): string {
  const named = fields.map((field) => [callerName(link, field), field] as const);
  const members = new Map(named.map(([name, field]) => [name, member(name, field.required || field === given, writer.type(field.schema))]));
  return members.size ? `{ ${[...members.values()].join("; ")} }` : "Record<string, never>";
}

function comment(lines: readonly string[], indent = ""): string {
  const safe = lines.map((line) => line.replace(/\*\//g, "*\\/").replace(/[\r\n]+/g, " ").replace(ACTING, "\ufffd"));
  if (safe.length === 1) return `${indent}/** ${safe[0]} */`;
  return [`${indent}/**`, ...safe.map((line) => `${indent} * ${line}`), `${indent} */`].join("\n");
}

/** A document as HAL: content, `_links`, `_embedded`, and `_templates` for links that HAL cannot describe. */
import { Document, DocumentError, DocumentNode } from "../document.js";
import { LintelError } from "../errors.js";
import { type Field, Link } from "../link.js";
import { type Written, filled, requestParts, shape, some, textsLeft, withPlainVariables } from "../openapi/extension-writer.js";
import { variables } from "../templates.js";
import { relative, resolve } from "../urls.js";
import { TYPES, readForm } from "./hal-forms.js";
import { shortRelation } from "./relations.js";

export const MAX_DEPTH = 100;

/** Keys of data that HAL reserves, with any number of underscores before them. */
export const RESERVED = /^_+(?:links|embedded|templates)$/;

/** Attributes of HAL links that links lack: the last lines of a description. */
const LINES: Readonly<Record<string, string>> = { Deprecated: "deprecation", Profile: "profile", Language: "hreflang" };

type Read = (raw: Written, baseUrl: string) => Link | undefined;
type Parts = Readonly<Record<"_links" | "data" | "_embedded" | "_templates", Map<string, unknown>>>;

/** Writes resources; `read` reads one link object as `HALCodec` does. */
export class HALWriter {
  constructor(readonly read: Read) {}

  document(document: Document, baseUrl: string, depth: number): Map<string, unknown> {
    const { url, title, description } = document;
    const own = some({ href: url && ((baseUrl && relative(baseUrl, url)) || url), title, description });
    return this.#resource(document, url || baseUrl, own, depth);
  }

  #resource(content: DocumentNode, baseUrl: string, own: Written, depth: number): Map<string, unknown> {
    checkDepth(depth);
    const parts: Parts = { _links: new Map(filled(own) ? [["self", own]] : []), data: new Map(), _embedded: new Map(), _templates: new Map() };
    for (const [key, value] of content) this.#place(parts, key, value, baseUrl, depth);
    const { _links, data, _embedded, _templates } = parts;
    const after = Object.entries({ _embedded, _templates }).filter(([, part]) => part.size);
    return new Map<string, unknown>([...(_links.size ? [["_links", _links] as const] : []), ...data, ...after]);
  }

  /** Put a value into the part of a resource that is for it. */
  #place(parts: Parts, key: string, value: unknown, baseUrl: string, depth: number): void {
    if (value instanceof Link) {
      if (isFetched(value)) parts._links.set(relationOf(key), this.#link(value, baseUrl));
      else parts._templates.set(key, this.#form(value, baseUrl));
    } else if (value instanceof Document) parts._embedded.set(relationOf(key), this.document(value, baseUrl, depth + 1));
    else if (areLinks(value)) parts._links.set(relationOf(key), this.#links(value, baseUrl));
    else if (Array.isArray(value) && value.some((item) => item instanceof Document)) parts._embedded.set(relationOf(key), value.map((item: unknown) => this.#item(item, baseUrl, depth + 1)));
    else parts.data.set(RESERVED.test(key) ? `_${key}` : key, this.#value(value, baseUrl, depth + 1));
  }

  #item(value: unknown, baseUrl: string, depth: number): unknown {
    return value instanceof Document ? this.document(value, baseUrl, depth) : this.#value(value, baseUrl, depth);
  }

  #value(value: unknown, baseUrl: string, depth: number): unknown {
    checkDepth(depth);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, baseUrl, depth + 1));
    const hasNoPlace = value instanceof Link || value instanceof Document || value instanceof DocumentError;
    if (hasNoPlace) throw new LintelError("encode", `HAL cannot represent a value of type ${value.constructor.name} here`);
    return value instanceof DocumentNode ? this.#resource(value, baseUrl, {}, depth) : value;
  }

  #links(value: DocumentNode | readonly Link[], baseUrl: string): Written[] {
    if (value instanceof DocumentNode) return [...value].map(([name, link]) => ({ ...this.#link(link as Link, baseUrl), name }));
    return value.map((link) => this.#link(link, baseUrl));
  }

  #link(link: Link, baseUrl: string): Written {
    return extended(plainly(link, baseUrl), link, baseUrl, this.read);
  }

  #form(link: Link, baseUrl: string): Written {
    const { href, templated, deprecation } = plainly(link, baseUrl);
    const properties = link.fields.filter(({ location }) => ["", "form"].includes(location)).map(property);
    const shown = some({ templated, title: link.title, description: link.description, deprecation, contentType: link.encoding, properties: filled(properties) });
    // Readers of HAL-FORMS use JSON by default.
    const unnamed = !link.encoding && link.fields.some(({ location }) => location === "form") ? { encoding: "" } : {};
    const written = { method: link.action.toUpperCase(), target: href, ...shown, ...unnamed };
    return extended(written, link, baseUrl, (raw, base) => readForm(raw, base, "", []));
  }
}

/** Return the members that plain HAL has for a link. */
function plainly(link: Link, baseUrl: string): Written {
  const template = withQuery(link);
  const href = relative(baseUrl, template) || template;
  return { href, ...some({ templated: variables(template).length > 0, title: link.title, deprecation: link.deprecated }), ...described(link.description) };
}

/** Add the members without which `read` would lose a part of the link. */
function extended(written: Written, link: Link, baseUrl: string, read: Read): Written {
  const again = read(written, baseUrl) ?? new Link();
  if (again.action !== link.action) written["method"] = link.action;
  for (const name of ["encoding", "transform"] as const) if (again[name] !== link[name]) written[name] = link[name];
  if (again.description !== link.description) {
    for (const member of Object.values(LINES)) delete written[member];
    Object.assign(written, { description: link.description }, link.deprecated ? { deprecation: true } : {});
  }
  const left = remainder(link, resolve(baseUrl, link.url), read(written, baseUrl) ?? new Link());
  return filled(left) ? { ...written, "x-lintel": left } : written;
}

function remainder(link: Link, url: string, again: Link): Written {
  const left = textsLeft(link, url, again);
  if (whole(link) === whole(again)) return left;
  // Readers write the variables of the path in the styles of these fields.
  return { ...left, url: link.writer ? withPlainVariables(url) : url, ...requestParts(link) };
}

/** What decides about requests, and what is shown of fields, to be compared. */
function whole(link: Link): string {
  const told = ({ description, schema }: Field): unknown[] => [description, Object.entries(schema ?? {}).filter(([key, value]) => key !== "title" && value !== "" && value !== null)];
  return JSON.stringify([shape(link), link.fields.map(told)]);
}

/** Return the URL as a template that also takes the fields of the query; a fragment stays at the end. */
function withQuery({ url, fields }: Link): string {
  const isMany = ({ schema }: Field): boolean => ["array", "object"].includes(String(schema?.["type"]));
  const listed = fields.filter(({ location }) => location === "query").map((field) => field.name + (isMany(field) ? "*" : "")).join(",");
  if (!listed) return url;
  const at = url.search(/\{?#/);
  const [start, fragment] = at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
  const expression = /\{[?&][^{}]*\}/.exec(start);
  if (!expression) return `${start}{${start.includes("?") ? "&" : "?"}${listed}}${fragment}`;
  const end = expression.index + expression[0].length - 1;
  return `${start.slice(0, end)},${listed}${start.slice(end)}${fragment}`;
}

/** Return the members in the last lines of a description, and the rest of it. */
function described(description: string): Written {
  const lines = description.split("\n");
  const members: Written = {};
  while (lines.length) {
    const [, label = "", value] = /^([A-Z][a-z]+): (.+)$/.exec(lines.at(-1)!) ?? [];
    const member = Object.hasOwn(LINES, label) ? LINES[label]! : "";
    if (!member || member in members) break;
    members[member] = value;
    lines.pop();
  }
  return { ...some({ description: lines.join("\n") }), ...members };
}

function property({ name, required, description, schema }: Field): Written {
  const values = schema?.["enum"];
  const options = Array.isArray(values) && values.length ? { inline: values } : null;
  return { name, ...some({ required, prompt: description || schema?.["title"], options, type: inputType(schema ?? {}) }) };
}

function inputType(schema: Written): string {
  const { type, format } = schema;
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "checkbox" : (TYPES[String(format)] ?? "");
}

/** Return the relation that is read as this key. */
function relationOf(key: string): string {
  return ["self", "curies"].includes(key) || shortRelation(key) !== key ? `key:${key}` : key;
}

function isFetched({ action }: Link): boolean {
  return ["", "get"].includes(action.toLowerCase());
}

/** Whether one relation can list these links: a list, or names of links to fetch. */
function areLinks(value: unknown): value is DocumentNode | readonly Link[] {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => item instanceof Link);
  const isGroup = value instanceof DocumentNode && !(value instanceof Document) && !(value instanceof DocumentError);
  return isGroup && value.size > 0 && [...value].every(([, item]) => item instanceof Link && isFetched(item));
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new LintelError("encode", `nested too deeply: more than ${MAX_DEPTH} levels`);
}

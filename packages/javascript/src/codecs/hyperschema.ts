import type { Codec, DecodingOptions } from "../codec.js";
import { Document, isPlain } from "../document.js";
import { LintelError } from "../errors.js";
import { readJSON } from "../json.js";
import { Field, Link } from "../link.js";
import { isSafe } from "../methods.js";
import { variables } from "../templates.js";
import { textOf } from "../text.js";
import { resolve } from "../urls.js";
import { type Holder, type Raw, References, findHolders, object, unquoted } from "./holders.js";
import { Names, honest, shortRelation, slug } from "./relations.js";

const MEDIA_TYPE = "application/schema+json";
const QUERY_METHODS = ["get", "head"];
/** The types of JSON except objects and null. */
const SINGLE: readonly unknown[] = ["array", "boolean", "integer", "number", "string"];
const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * Reads JSON Hyper-Schema, drafts 04 to 2019-09: one group per property of the root, each link with its
 * relation as key (`self` is `read`), distinguished by title or path if several share it.
 */
export class HyperSchemaCodec implements Codec {
  readonly format = "jsonhyperschema";
  readonly mediaTypes = [MEDIA_TYPE, "application/schema-instance+json"];
  readonly readsDocuments = true;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): Document {
    const root = readJSON(textOf(content, "", true), { bigint: options.bigint ?? false });
    if (!isPlain(root)) throw new LintelError("parse", "A Hyper-Schema must be an object");
    const found = new Reader(root, resolve(options.baseUrl ?? "", text(root["base"]) || baseOf(root)));
    const texts = { url: options.baseUrl ?? "", title: text(root["title"]), description: text(root["description"]) };
    return new Document({ ...texts, mediaType: MEDIA_TYPE, definitions: root }, found.content(), found.issues);
  }
}

/** Draft 04 has no keyword for the base: such descriptions give it as the root's link to itself. */
function baseOf(root: Raw): string {
  const own = list(root["links"]).map(object).find((link) => link["rel"] === "self");
  return text(own?.["href"]);
}

class Reader {
  readonly issues: string[] = [];
  readonly #references: References;

  constructor(
    readonly root: Raw,
    readonly baseUrl: string,
  ) {
    this.#references = new References(root);
  }

  /** The links of the whole schema, then the groups. */
  content(): Map<string, unknown> {
    const groups = new Map<string, [string, Link][]>();
    for (const holder of findHolders(this.root, this.#references)) {
      const group = holder.names.join("_");
      groups.set(group, [...(groups.get(group) ?? []), ...this.#links(holder)]);
    }
    const named = [...groups].filter(([name, links]) => name && links.length).map(([name, links]): [string, Map<string, Link>] => [name, keyed(links)]);
    const top = keyed(groups.get("") ?? [], named.map(([name]) => name));
    return new Map<string, unknown>([...top, ...named]);
  }

  #links({ schema, place }: Holder): [string, Link][] {
    const found: [string, Link][] = [];
    for (const [at, item] of list(schema["links"]).entries()) {
      const raw = this.#followed(item);
      if (typeof raw["href"] === "string") {
        const methods = methodsOf(raw);
        // A description that allows several methods becomes one key per method; the first is the main one.
        for (const method of methods) {
          const link = this.#link(raw, schema, method);
          if (link.problem) this.issues.push(`${place}/links/${at}: ${link.problem}`);
          found.push([keyOf(relationOf(raw), method, method !== methods[0]), link]);
        }
      } else this.issues.push(`${place}/links/${at}: the link has no URL, so it cannot be called`);
    }
    return found;
  }

  #link(raw: Raw, holder: Raw, method: string): Link {
    const { url, origins } = readTemplate(text(raw["href"]));
    const keyword = bodyKeyword(raw, method);
    const body = this.#body(raw, method, keyword);
    const isQuery = QUERY_METHODS.includes(method);
    return new Link({
      url: resolve(this.baseUrl, url),
      action: method,
      encoding: isQuery || !body.length ? "" : text(raw["submissionMediaType"]) || text(raw["encType"]) || "application/json",
      title: text(raw["title"]),
      description: text(raw["description"]),
      fields: [...this.#urlFields(raw, url, origins, holder), ...body],
      result: isPlain(raw["targetSchema"]) ? raw["targetSchema"] : null,
      problem: keyword ? this.#lost(raw[keyword]) : "",
    });
  }

  #urlFields(raw: Raw, url: string, origins: ReadonlyMap<string, string>, holder: Raw): Field[] {
    const inputs = this.#properties(raw["hrefSchema"]);
    const own = this.#properties(holder);
    const required = [...list(raw["templateRequired"]), ...list(object(raw["hrefSchema"])["required"])];
    return variables(url).map(({ name, optional }) => {
      const origin = origins.get(name) ?? name;
      const schema = origin.startsWith("#") ? this.#followed({ $ref: origin }) : (inputs.get(origin) ?? own.get(origin) ?? null);
      const description = text(schema?.["description"]);
      return new Field({ name, location: "path", required: !optional || required.includes(origin), schema, description });
    });
  }

  #body(raw: Raw, method: string, keyword: string | undefined): Field[] {
    const isQuery = QUERY_METHODS.includes(method);
    if (!keyword) return isQuery || !("encType" in raw) ? [] : [wholeBody({})];
    const schema = this.#followed(raw[keyword]);
    const required = list(schema["required"]);
    const location = isQuery ? "query" : "form";
    const fields = [...this.#properties(schema)]
      .filter(([, inner]) => keyword !== "targetSchema" || inner["readOnly"] !== true)
      .map(([name, inner]) => new Field({ name, required: required.includes(name), location, schema: inner, description: text(inner["description"]) }));
    const isNothing = isQuery || (raw[keyword] !== true && !Object.keys(schema).length);
    return fields.length || isNothing ? fields : [wholeBody(schema)];
  }

  #properties(schema: unknown): Map<string, Raw> {
    const entries = Object.entries(object(this.#followed(schema)["properties"]));
    return new Map(entries.map(([name, inner]) => [name, this.#followed(inner)]));
  }

  /** Return the schema that references within the description lead to; {} if it does not exist. */
  #followed(schema: unknown): Raw {
    return object(this.#references.target(schema)[0]);
  }

  /** Return why a schema cannot be found; empty if it can. */
  #lost(schema: unknown): string {
    return this.#references.target(schema)[1];
  }
}

/** Return the keyword with the schema of the request, which depends on draft and method. */
function bodyKeyword(raw: Raw, method: string): string | undefined {
  const writing = QUERY_METHODS.includes(method) || method === "put" ? [] : ["submissionSchema"];
  const replacing = ["put", "patch"].includes(method) ? ["targetSchema"] : [];
  return ["schema", ...writing, ...replacing].find((each) => isPlain(raw[each]) || raw[each] === true);
}

/** Return the field of a body without properties. Objects accept anything by default; another type means a single value. */
function wholeBody(schema: Raw): Field {
  const type = [schema["type"]].flat().find((each, _at, all) => each !== "null" || all.length === 1);
  const isValue = SINGLE.includes(type) || (!type && Boolean(schema["items"])) || list(schema["enum"]).length > 0;
  const required = isValue && !Object.keys(object(schema["properties"])).length;
  return new Field({ name: "data", location: "body", required, schema, description: text(schema["description"]) });
}

/** Verbs for writing to a relation that names only the thing. */
const SELF_KEYS: Readonly<Record<string, string>> = { post: "create", put: "update", patch: "partial_update", delete: "destroy" };

function keyOf(relation: string, method: string, isMethodInKey: boolean): string {
  if (relation === "self") return isSafe(method) ? "read" : (SELF_KEYS[method] ?? method);
  return shortRelation(isMethodInKey ? `${relation}_${method}` : relation);
}

/** Return the methods of a link: that of draft 04, or those that the hints of newer drafts allow. */
function methodsOf(raw: Raw): string[] {
  const method = text(raw["method"]).toLowerCase();
  if (/^[a-z][a-z-]{0,30}$/.test(method)) return [method];
  const allowed = list(object(raw["targetHints"])["allow"]).map((each) => String(each).toLowerCase());
  const known = METHODS.filter((each) => allowed.includes(each));
  const found = new Set([...known, ...(isPlain(raw["submissionSchema"]) ? ["post"] : [])]);
  return found.size ? [...found] : ["get"];
}

function relationOf(raw: Raw): string {
  return text([raw["rel"]].flat().find((each) => typeof each === "string" && each));
}

/**
 * Return links by key. The one with the shortest URL gets the plain relation; one that reads, if any does. None that
 * writes has a name of reading.
 */
function keyed(found: readonly [string, Link][], taken: Iterable<string> = []): Map<string, Link> {
  const byPath = (link: Link): string => slug(`${link.action} ${link.url.replace(/\{\?.*$/, "").replace(/^\w+:\/\/[^/]*/, "")}`);
  const plain = ([relation, link]: [string, Link]): string => honest(relation || slug(link.title), link) || byPath(link);
  const names = new Names(taken);
  const keys = new Map<Link, string>();
  const groups = new Map<string, [string, Link][]>();
  for (const pair of found) groups.set(plain(pair), [...(groups.get(plain(pair)) ?? []), pair]);
  for (const rivals of groups.values()) rivals.sort(([, left], [, right]) => compared(rankOf(left), rankOf(right)));
  const sorted = [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [key, rivals] of sorted) keys.set(rivals[0]![1], names.unused(key));
  for (const [key, rivals] of sorted) {
    const titles = new Map<string, number>();
    for (const [, { title }] of rivals) titles.set(slug(title), (titles.get(slug(title)) ?? 0) + 1);
    for (const [, link] of rivals.slice(1)) {
      const title = slug(link.title);
      const isTelling = title && titles.get(title) === 1 && honest(title, link) === title;
      keys.set(link, names.unused(`${key}_${isTelling ? title : byPath(link)}`));
    }
  }
  return new Map([...groups.values()].flat().map(([, link]) => [keys.get(link)!, link]));
}

/** What decides between links of one relation, whatever their order in the file. */
function rankOf({ url, action, title, fields }: Link): (string | number)[] {
  return [Number(!isSafe(action)), url.length, url, action, title, JSON.stringify(fields.map(({ name, location }) => [name, location]))];
}

function compared(left: readonly (string | number)[], right: readonly (string | number)[]): number {
  const at = left.findIndex((part, place) => part !== right[place]);
  return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
}

/**
 * Return the template of an `href`. Draft 04 (section 5.1.1) percent-encodes names that RFC 6570 does not allow
 * and puts them in parentheses; they become readable, and `origins` maps each to its original name.
 */
function readTemplate(href: string): { url: string; origins: Map<string, string> } {
  const origins = new Map<string, string>();
  const url = href.replace(/\{[^{}]*\}/g, (expression) =>
    expression.replace(/\(([^()]*)\)/g, (_whole, encoded: string) => {
      const origin = unquoted(encoded);
      const segments = origin.split(/[/#]/).filter((part) => !["", "definitions", "$defs", "properties"].includes(part));
      const name = segments.join("_").replace(/[^\w.\u0080-\uffff-]+/g, "_").slice(0, 100) || "value";
      origins.set(name, origin);
      return name;
    }),
  );
  return { url, origins };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

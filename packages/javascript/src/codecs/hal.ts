import type { Codec, DecodingOptions } from "../codec.js";
import { Document, DocumentObject, isPlain } from "../document.js";
import { LintelError } from "../errors.js";
import { indented, readJSON, writeJSON } from "../json.js";
import { Link } from "../link.js";
import { isSafe } from "../methods.js";
import { extended } from "../openapi/extension.js";
import { textOf } from "../text.js";
import { resolve } from "../urls.js";
import { HALWriter, MAX_DEPTH, RESERVED } from "./hal-encoding.js";
import { methodOf, readForm, templateFields } from "./hal-forms.js";
import { Names, honest, shortRelation } from "./relations.js";

type Raw = Readonly<Record<string, unknown>>;

const MEDIA_TYPE = "application/hal+json";

/**
 * Reads HAL: `_links` become links with their relation, without its CURIE prefix, as key; `_embedded` resources become
 * documents, forms (`_templates`) links with fields, template variables parameters. The rest is reported in `issues`.
 * Writes the same.
 */
export class HALCodec implements Codec {
  readonly format = "hal";
  readonly mediaTypes = [MEDIA_TYPE, "application/prs.hal-forms+json", "application/vnd.hal+json"];
  readonly readsDocuments = true;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): Document {
    const raw = readJSON(textOf(content, "", true), { bigint: options.bigint ?? false });
    if (!isPlain(raw)) throw new LintelError("parse", "A HAL resource must be an object");
    const issues: string[] = [];
    const found = new Reader(issues).document(raw, options.baseUrl ?? "", "#", 0);
    const texts = { ...textsOf(found), url: found.url || (options.baseUrl ?? "") };
    return new Document(texts, new Map(found), issues);
  }

  /**
   * Return the text of a document, indented by 4 spaces with `indent`. What HAL cannot express about requests is
   * written in extensions, `x-lintel`. Throws a LintelError with the code "encode" for what has no place in HAL.
   */
  encode(document: unknown, options: { indent?: boolean } = {}): string {
    if (!(document instanceof Document)) throw new LintelError("encode", "HAL represents documents, and nothing else");
    const reader = new Reader([]);
    const written = new HALWriter((raw, baseUrl) => reader.link(raw, baseUrl, "")).document(document, "", 0);
    return options.indent ? indented(writeJSON(written)) : writeJSON(written);
  }
}

class Reader {
  constructor(readonly issues: string[]) {}

  document(raw: Raw, baseUrl: string, place: string, depth: number): Document {
    const own = [object(raw["_links"])["self"]].flat()[0];
    const href = object(own)["href"];
    const url = typeof href === "string" ? resolve(baseUrl, href) : "";
    const texts = { url, title: text(object(own)["title"]), description: described(object(own)), mediaType: MEDIA_TYPE };
    return new Document(texts, this.#content(raw, url || baseUrl, place, depth));
  }

  #content(raw: Raw, baseUrl: string, place: string, depth: number): Map<string, unknown> {
    if (depth > MAX_DEPTH) throw new LintelError("parse", `nested too deeply: more than ${MAX_DEPTH} levels`);
    const data = Object.entries(raw).filter(([key]) => !["_links", "_embedded", "_templates"].includes(key));
    const content = new Map(data.map(([key, value]) => [unescaped(key), this.#value(value, baseUrl, `${place}/${key}`, depth + 1)]));
    const isData = new Set(content.keys());
    const found: [string, string, unknown][] = [
      ...this.#members(raw, "_embedded", place).map(([key, value]): [string, string, unknown] => [key, "embedded", this.#embedded(value, baseUrl, place, depth)]),
      ...this.#members(raw, "_links", place).map(([key, value]): [string, string, unknown] => {
        const read = this.#links(value, baseUrl, `${place}/_links/${key}`);
        return [read instanceof Link ? honest(key, read) : key, "link", read];
      }),
      ...this.#forms(raw, place).map(([key, value]): [string, string, unknown] => [key, "form", readForm(value, baseUrl, `${place}/_templates/${key}`, this.issues)]),
    ];
    const entries = found.filter(([, , value]) => value !== undefined);
    const wanted = entries.map(([key, suffix, value]): [string, string, unknown] => [key, isData.has(key) ? `${key}_${suffix}` : key, value]);
    named(wanted, new Names(isData)).forEach((key, at) => content.set(key, entries[at]![2]));
    return content;
  }

  #forms(raw: Raw, place: string): [string, unknown][] {
    const forms = raw["_templates"];
    if (forms !== undefined && forms !== null && !isPlain(forms)) this.issues.push(`${place}/_templates: the forms must be an object`);
    return Object.entries(object(forms));
  }

  #value(raw: unknown, baseUrl: string, place: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new LintelError("parse", `nested too deeply: more than ${MAX_DEPTH} levels`);
    if (Array.isArray(raw)) return raw.map((item) => this.#value(item, baseUrl, place, depth + 1));
    return isPlain(raw) ? new DocumentObject(this.#content(raw, baseUrl, place, depth)) : raw;
  }

  #embedded(value: unknown, baseUrl: string, place: string, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#embedded(item, baseUrl, place, depth + 1));
    if (isPlain(value)) return this.document(value, baseUrl, place, depth + 1);
    this.issues.push(`${place}/_embedded: an embedded resource is not an object`);
    return value;
  }

  /** Return one link, a map if several have names of their own, else a list. */
  #links(value: unknown, baseUrl: string, place: string): unknown {
    if (!Array.isArray(value)) return this.link(value, baseUrl, place);
    const read = value.map((raw): [unknown, Link | undefined] => [object(raw)["name"], this.link(raw, baseUrl, place)]);
    const found = read.filter((pair): pair is [unknown, Link] => pair[1] !== undefined);
    const named = new Map(found.filter(([name]) => typeof name === "string") as [string, Link][]);
    if (!found.length) return undefined;
    return named.size === found.length ? named : found.map(([, link]) => link);
  }

  link(raw: unknown, baseUrl: string, place: string): Link | undefined {
    if (typeof raw === "string") this.issues.push(`${place}: the link is a string, not an object with an href`);
    const link = typeof raw === "string" ? { href: raw } : object(raw);
    const { href, deprecation, transform, encoding, title } = link;
    if (typeof href !== "string") {
      this.issues.push(`${place}: the link has no URL`);
      return undefined;
    }
    const url = resolve(baseUrl, href);
    const texts = { encoding: text(encoding), transform: text(transform), title: text(title), description: described(link) };
    const action = methodOf(link["method"], place, this.issues);
    return new Link(extended({ url, action, ...texts, fields: templateFields(url), deprecated: Boolean(deprecation) }, link["x-lintel"]));
  }

  /** Return the relations of `_links` or `_embedded` as keys; if two would share one, they keep their full names. */
  #members(raw: Raw, name: string, place: string): [string, unknown][] {
    if (raw[name] !== undefined && !isPlain(raw[name])) this.issues.push(`${place}/${name}: this must be an object`);
    const hidden = name === "_links" ? ["self", "curies"] : [];
    const entries = Object.entries(object(raw[name])).filter(([relation]) => !hidden.includes(relation));
    const keys = entries.map(([relation]) => shortRelation(relation));
    const counted = new Map<string, number>();
    for (const key of keys) counted.set(key, (counted.get(key) ?? 0) + 1);
    return entries.map(([relation, value], at) => [counted.get(keys[at]!)! > 1 ? relation : keys[at]!, value]);
  }
}

/**
 * Return a free key for each value; of two that share one, what reads has it. Given are the own key of each, and another
 * one if data has that.
 */
function named(found: readonly [string, string, unknown][], names: Names): string[] {
  const keys: string[] = [];
  const ranked = found.map((entry, at) => ({ entry, at })).sort((left, right) => Number(writes(left.entry[2])) - Number(writes(right.entry[2])));
  for (const { entry: [key, wanted, value], at } of ranked) {
    const isChanged = wanted !== key || names.has(wanted);
    keys[at] = names.unused(isChanged && writes(value) ? honest(wanted, value) : wanted);
  }
  return keys;
}

function writes(value: unknown): value is Link {
  return value instanceof Link && !isSafe(value.action);
}

/** Return attributes of HAL links that `Link` lacks, as lines of the description. */
function described(link: Raw): string {
  const lines = Object.entries({ Deprecated: link["deprecation"], Profile: link["profile"], Language: link["hreflang"] });
  const own = lines.filter(([, value]) => text(value)).map(([label, value]) => `${label}: ${text(value)}`);
  return [text(link["description"]), ...own].filter(Boolean).join("\n");
}

function textsOf({ title, description, mediaType }: Document): { title: string; description: string; mediaType: string } {
  return { title, description, mediaType };
}

/** Return a key of data without the underscore that one which HAL reserves is written with. */
function unescaped(key: string): string {
  return key.startsWith("__") && RESERVED.test(key) ? key.slice(1) : key;
}

function object(value: unknown): Raw {
  return isPlain(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

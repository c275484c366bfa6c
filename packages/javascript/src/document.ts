import { Link, type Schema } from "./link.js";
import { LintelError } from "./errors.js";

export type Key = string | number;
export type Scalar = null | boolean | number | bigint | string;
export type Value = Scalar | readonly Value[] | Link | DocumentNode;
/** Values accepted as the content of a node; plain objects and Maps become nodes. */
export type Content = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

export interface DocumentTexts {
  url?: string;
  title?: string;
  description?: string;
  mediaType?: string;
  /** The root of the description, which schemas in the document refer to. */
  definitions?: Schema;
}

/** Base of documents, errors and plain objects inside them: immutable entries in the given order. */
export abstract class DocumentNode implements Iterable<[string, Value]> {
  readonly #entries: ReadonlyMap<string, Value>;
  #content: Readonly<Record<string, Value>> | undefined;

  constructor(content: Content = {}) {
    const entries = content instanceof Map ? [...content] : Object.entries(content);
    this.#entries = new Map(entries.map(([key, value]) => [key, frozen(value)]));
  }

  /** The entries as a frozen object. Iterate the node itself if the order of numeric keys matters. */
  get content(): Readonly<Record<string, Value>> {
    this.#content ??= Object.freeze(Object.assign(Object.create(null), Object.fromEntries(this.#entries)) as Record<string, Value>);
    return this.#content;
  }

  /** The entries that are not links. */
  get data(): DocumentObject {
    return new DocumentObject(new Map([...this].filter(([, value]) => !(value instanceof Link))));
  }

  /** The entries that are links. */
  get links(): ReadonlyMap<string, Link> {
    return new Map([...this].filter((entry): entry is [string, Link] => entry[1] instanceof Link));
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.#entries.entries();
  }

  /** Return a copy in which `key` holds `value`. */
  set(key: string, value: unknown): this {
    return this.clone(new Map<string, unknown>(this.#entries).set(key, value));
  }

  /** Return a copy without `key`. */
  delete(key: string): this {
    return this.clone(new Map([...this].filter(([name]) => name !== key)));
  }

  /** Return the value at the end of a path, `fallback` when the path does not exist. */
  getIn(keys: readonly Key[], fallback?: unknown): unknown {
    let found: unknown = this;
    for (const key of keys) found = child(found, key);
    return found === undefined ? fallback : found;
  }

  /** Return a copy with `value` at the end of a path; undefined removes the entry. */
  setIn(keys: readonly Key[], value: unknown): this {
    return changed(this, keys, value) as this;
  }

  deleteIn(keys: readonly Key[]): this {
    return this.setIn(keys, undefined);
  }

  /** Plain data for JSON.stringify; links are left out. */
  toJSON(): Record<string, unknown> {
    return Object.fromEntries([...this.data].map(([key, value]) => [key, value]));
  }

  /** Return a node with other entries and the same attributes. */
  protected abstract clone(content: Content): this;
}

/** A plain mapping inside a document. */
export class DocumentObject extends DocumentNode {
  protected clone(content: Content): this {
    return new DocumentObject(content) as this;
  }
}

/** What a server describes at one URL: data, and links to call. */
export class Document extends DocumentNode {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly mediaType: string;
  readonly definitions: Schema;
  /** The parts of the description that could not be represented, by place. */
  readonly issues: readonly string[];

  constructor(texts: DocumentTexts = {}, content: Content = {}, issues: readonly string[] = []) {
    super(content);
    this.url = texts.url ?? "";
    this.title = texts.title ?? "";
    this.description = texts.description ?? "";
    this.mediaType = texts.mediaType ?? "";
    this.definitions = texts.definitions ?? {};
    this.issues = Object.freeze([...issues]);
    Object.freeze(this);
  }

  protected clone(content: Content): this {
    return new Document(this, content, this.issues) as this;
  }
}

/** An error response of a server, as a document of the native format. */
export class DocumentError extends DocumentNode {
  readonly title: string;

  constructor(title = "", content: Content = {}) {
    super(content);
    this.title = title;
    Object.freeze(this);
  }

  protected clone(content: Content): this {
    return new DocumentError(this.title, content) as this;
  }
}

/** Whether a value is a plain object, as made by literals and JSON, or has no prototype. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another window or realm have another Object.prototype, which is the root of their chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function frozen(value: unknown): Value {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (value instanceof DocumentNode || value instanceof Link) return value;
  if (value instanceof Map || isPlain(value)) return new DocumentObject(value);
  if (value === null || ["string", "boolean", "number", "bigint"].includes(typeof value)) return value as Scalar;
  throw new LintelError("encode", `A document cannot represent a value of type ${typeof value}`);
}

/** Return the value one step down a tree, undefined if there is none. */
export function child(node: unknown, key: Key): unknown {
  if (node instanceof DocumentNode) return node.get(String(key));
  return Array.isArray(node) && typeof key === "number" ? node.at(key) : undefined;
}

function changed(node: unknown, keys: readonly Key[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const inner = changed(child(node, key), rest, value);
  if (node instanceof DocumentNode) {
    return inner === undefined ? node.delete(String(key)) : node.set(String(key), inner);
  }
  if (!Array.isArray(node)) throw new LintelError("lookup", `There is nothing to change at ${String(key)}`);
  return node.flatMap((item, at) => (at !== key ? [item] : inner === undefined ? [] : [inner]));
}

/** Descriptions in several files: what references lead to is loaded first, then the description is read with all files. */
import type { Document } from "../document.js";
import { LintelError } from "../errors.js";
import { readJSON } from "../json.js";
import { textOf } from "../text.js";
import { resolve, withoutFragment } from "../urls.js";
import { OpenAPICodec } from "./codec.js";
import { type File, list, mapping } from "./nodes.js";

export const MAX_FILES = 10_000;
export const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT = 30_000;
const TOTAL_TIMEOUT = 600_000;
/** How many files are loaded at a time. */
const AT_ONCE = 8;
/** Keywords whose value is data, in which `$ref` means nothing. */
const DATA = ["enum", "const", "default", "example", "value", "mapping"];

/** Keywords whose value maps names to schemas and other objects. */
const NAMING = ["properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "schemas", "parameters", "responses", "headers", "content", "examples"];

/** Returns the content at an absolute URL. */
export type Loader = (url: string) => Promise<Uint8Array | string>;

export interface ReferenceOptions {
  /** The URL of the first file, if not that of the document: references are allowed below its folder. */
  source?: string;
  /** Loads a file; by default with `fetch`, without credentials and without following redirects. */
  loader?: Loader;
  /** Milliseconds within which each file must have been fetched; 30,000 by default, 0 for no limit. */
  timeout?: number;
  /** Milliseconds that loading all files may take; 600,000 by default. */
  totalTimeout?: number;
  /** The most bytes of all files together; 64 MiB by default. */
  maxBytes?: number;
  /** Reads text that is not JSON, such as the `parse` of a library for YAML. */
  parse?: (text: string) => unknown;
  /** Further origins that references may lead to, such as "https://schemas.example.org". */
  origins?: readonly string[];
  codec?: OpenAPICodec;
  onFile?: (count: number) => void;
}

/**
 * Return a document of an OpenAPI description again, with the files that its references lead to: those below the
 * folder of the first file. A file that cannot be loaded or is not allowed is an issue of the document.
 */
export async function followReferences(document: Document, options: ReferenceOptions = {}): Promise<Document> {
  const source = options.source ?? document.url;
  const files = await new Files(source, options).all(document.definitions);
  return (options.codec ?? new OpenAPICodec()).fromData(document.definitions, { baseUrl: document.url }, { source, files });
}

class Files {
  readonly #found = new Map<string, File>();
  #bytes = 0;
  readonly #start = performance.now();

  constructor(
    readonly home: string,
    readonly options: ReferenceOptions,
  ) {}

  async all(root: unknown): Promise<ReadonlyMap<string, File>> {
    const waiting = new Set(references(root, this.home).map(withoutFragment));
    const known = new Set([this.home]);
    while (waiting.size) {
      const batch = [...waiting].slice(0, AT_ONCE);
      for (const url of batch) waiting.delete(url);
      const loaded = await Promise.all(batch.filter((url) => !known.has(url)).map((url) => this.#load(url, known)));
      for (const url of loaded.flat()) if (!known.has(url)) waiting.add(url);
    }
    return this.#found;
  }

  /** Load one file and return where it refers to. */
  async #load(url: string, known: Set<string>): Promise<string[]> {
    known.add(url);
    try {
      if (!this.#allows(url)) throw new LintelError("parse", `it is outside of the folder of ${this.home}`);
      if (this.#found.size >= MAX_FILES) throw new LintelError("parse", `there are more than ${MAX_FILES} files`);
      if (this.#left() < 0) throw new LintelError("parse", `its files took more than ${(this.options.totalTimeout ?? TOTAL_TIMEOUT) / 1000} seconds to load`);
      const root = this.#read(await this.#content(url));
      this.#found.set(url, { root, problem: "" });
      this.options.onFile?.(this.#found.size);
      return references(root, url, true).map(withoutFragment);
    } catch (error) {
      this.#found.set(url, { root: null, problem: `The reference to ${url} cannot be followed: ${(error as Error).message}` });
      return [];
    }
  }

  async #content(url: string): Promise<Uint8Array | string> {
    const { loader, timeout = TIMEOUT } = this.options;
    if (!loader) return fetched(url, Math.min(timeout || Infinity, this.#left(), 0x7fffffff), (bytes) => this.#count(bytes));
    const content = await loader(url);
    this.#count(content.length);
    return content;
  }

  #left(): number {
    return this.#start + (this.options.totalTimeout ?? TOTAL_TIMEOUT) - performance.now();
  }

  /** Count bytes of files, before they are kept. */
  #count(bytes: number): void {
    const { maxBytes = MAX_BYTES } = this.options;
    if (this.#bytes + bytes > maxBytes) throw new LintelError("parse", `the files have more than ${maxBytes} bytes together`);
    this.#bytes += bytes;
  }

  #read(content: Uint8Array | string): unknown {
    const text = textOf(content, "", true);
    const isJSON = /^\s*[[{]/.test(text) || !this.options.parse;
    return isJSON ? readJSON(text, { bigint: false }) : this.options.parse!(text);
  }

  #allows(url: string): boolean {
    const [target, home] = [parsed(url), parsed(this.home)];
    if (!target || !home) return false;
    if (target.protocol === home.protocol && target.host === home.host) {
      return /^(file|https?):$/.test(home.protocol) && isBelow(url, target, home);
    }
    return /^https?:$/.test(target.protocol) && (this.options.origins ?? []).includes(target.origin);
  }
}

/** Return the references of a file, resolved; `isRewritten` also writes them so, for readers that know no places. */
function references(root: unknown, base: string, isRewritten = false): string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: [node: unknown, isNames: boolean][] = [[root, false]];
  while (waiting.length) {
    const [node, isNames] = waiting.pop()!;
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const reference = mapping(node)["$ref"];
    if (typeof reference === "string") {
      found.add(resolve(base, reference));
      if (isRewritten) (node as Record<string, unknown>)["$ref"] = resolve(base, reference);
    }
    for (const item of list(node)) waiting.push([item, false]);
    for (const [key, value] of Object.entries(mapping(node))) {
      if (isNames || !DATA.includes(key)) waiting.push([value, !isNames && NAMING.includes(key)]);
    }
  }
  return [...found];
}

function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** Whether a path is below the folder of another, however its dots and slashes are written. */
function isBelow(url: string, target: URL, home: URL): boolean {
  const folder = home.pathname.slice(0, home.pathname.lastIndexOf("/") + 1);
  const steps = url.replace(/%2e/gi, ".").replace(/%2f|%5c|\\/gi, "/").split("/");
  return target.pathname.startsWith(folder) && !steps.includes("..");
}

/** Fetch a file within a time limit. `count` is told of bytes before they are kept, and may refuse them. */
async function fetched(url: string, timeout: number, count: (bytes: number) => void): Promise<Uint8Array> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeout);
  try {
    const response = await fetch(url, { redirect: "error", credentials: "omit", signal: controller.signal });
    if (!response.ok) throw new LintelError("network", `it answers ${response.status}`);
    return await collected(response, count);
  } catch (cause) {
    if (controller.signal.aborted) throw new LintelError("timeout", `it did not come within ${timeout / 1000} seconds`);
    throw cause;
  } finally {
    clearTimeout(timer);
    // Ends what is still under way.
    controller.abort();
  }
}

async function collected(response: Response, count: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    count(value.byteLength);
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

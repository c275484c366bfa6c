/** A private cache of responses to GET (RFC 9111). */
import { originOf } from "../origins.js";
import { type OutgoingRequest, isPage } from "../request/building.js";
import { formatOf } from "../streams/kinds.js";
import { mediaTypeOf } from "../text.js";
import { pageAddress, resolve } from "../urls.js";
import { type Entry, ageOf, conditionsOf, directivesOf, fieldsOf, isFresh, keptHeaders, lifetimeOf, renewed } from "./entries.js";
import { type CacheKey, type CacheStore, MemoryStore } from "./stores.js";

export type { Entry } from "./entries.js";
export { type CacheKey, type CacheStore, MemoryStore } from "./stores.js";

export interface CacheOptions {
  /** The most bytes to keep, 64 MiB by default; no response is kept that is larger than a quarter of it. */
  maxSize?: number;
  /** Where to keep them, in memory by default. */
  store?: CacheStore;
}

type Send = (request: OutgoingRequest) => Promise<Response>;

const SAFE = ["GET", "HEAD", "OPTIONS", "TRACE"];
const KNOWN_WRITES = 1000;
/** Callers who set these decide themselves. */
const CONDITIONAL = ["range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"];
/** All other request headers are part of the key: any may hold a credential, or choose between representations. */
const SHARED = ["user-agent", "cache-control", "pragma", "traceparent", "tracestate", "x-request-id"];

/**
 * Keeps responses to GET as their servers allow it, for one user. Give it to a transport:
 * `new HTTPTransport({ cache: new Cache() })`.
 *
 * Responses are kept apart by every header of their requests but a few that identify no one, so by credentials and
 * keys too. Requests with cookies of a browser, which no script sees, are never answered from it.
 */
export class Cache {
  readonly #store: CacheStore;
  readonly #largest: number;
  readonly #writes = new Writes();
  #digests: Promise<CryptoKey> | null = null;

  constructor({ maxSize = 64 * 1024 * 1024, store = new MemoryStore(maxSize) }: CacheOptions = {}) {
    this.#store = store;
    this.#largest = Math.floor(maxSize / 4);
    if (store.secret && !globalThis.crypto?.subtle) throw new TypeError("Digests of keys need a secure context: serve this page by HTTPS");
  }

  /** Return the response to a request; `send` gets what the cache cannot answer. */
  async send(request: OutgoingRequest, send: Send): Promise<Response> {
    if (!isCacheable(request)) return this.#written(request, await send(request));
    return this.#exchanged(request, await this.#keyOf(request), send);
  }

  /** Forget the responses of a URL, with every query and for every credential. */
  async forget(url: string): Promise<void> {
    const group = await this.#digest(plainURL(url));
    this.#writes.note(group);
    await attempted(() => this.#store.drop(group));
  }

  async #exchanged(request: OutgoingRequest, key: CacheKey, send: Send): Promise<Response> {
    const [since, requested] = [this.#writes.count, now()];
    const entry = await this.#found(key, request);
    if (entry && isFresh(entry, request.headers, requested)) return responseOf(entry, requested);
    if (directivesOf(request.headers).has("only-if-cached")) return new Response(null, { status: 504, statusText: "Gateway Timeout" });
    const asking = entry ? withConditions(request, entry) : request;
    const response = await send(asking);
    if (entry && asking !== request && response.status === 304) {
      await response.body?.cancel();
      const fresh = renewed(entry, response.headers, requested, now());
      if (!fresh) return this.#received(await send(request), { request, key, since, requested, entry });
      await (mayBeKept(fieldsOf(fresh)) ? this.#keep(key, fresh, since) : this.#remove(key));
      return responseOf(fresh);
    }
    return this.#received(response, { request, key, since, requested, entry });
  }

  /** Keep a response of the server if that is allowed; it replaces what was kept before. */
  async #received(response: Response, asked: Asked): Promise<Response> {
    const { status } = response;
    if (asked.entry && ((status >= 200 && status < 400) || status === 404 || status === 410)) await this.#remove(asked.key);
    return isStorable(response, this.#largest) ? this.#kept(response, asked) : response;
  }

  /** Return a response whose body is stored once it has been read whole. */
  #kept(response: Response, { request, key, since, requested }: Asked): Response {
    const received = now();
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const varying = varyOf(response.headers).filter((name) => SHARED.includes(name));
    const stored = async (): Promise<void> => {
      if (size > this.#largest) return;
      const body = new Uint8Array(await new Blob(chunks).arrayBuffer());
      const named = varying.map((name) => [name, request.headers.get(name) ?? ""] as const);
      await this.#keep(key, { headers: keptHeaders(response.headers), body, requested, received, varying: named }, since);
    };
    const collector = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size <= largest) chunks.push(chunk.slice());
        else chunks.length = 0;
        controller.enqueue(chunk);
      },
      flush: stored,
    });
    const largest = this.#largest;
    const { status, statusText, headers } = response;
    return new Response((response.body ?? new Blob().stream()).pipeThrough(collector), { status, statusText, headers });
  }

  /** Forget what a write has changed (RFC 9111, section 4.4). */
  async #written(request: OutgoingRequest, response: Response): Promise<Response> {
    if (SAFE.includes(request.method) || response.status < 200 || response.status >= 400) return response;
    await this.forget(request.url);
    for (const name of ["Location", "Content-Location"]) {
      const value = response.headers.get(name);
      const url = value === null ? "" : resolve(request.url, value);
      if (isSameOrigin(url, request.url)) await this.forget(url);
    }
    return response;
  }

  async #found(key: CacheKey, request: OutgoingRequest): Promise<Entry | null> {
    const entry = await attempted(() => this.#store.get(key));
    return entry?.varying.every(([name, value]) => (request.headers.get(name) ?? "") === value) ? entry : null;
  }

  /** Store an entry, unless its URL was written to while the response was under way. */
  async #keep(key: CacheKey, entry: Entry, since: number): Promise<void> {
    if (this.#writes.last(key[0]) <= since) await attempted(() => this.#store.put(key, entry));
  }

  async #remove(key: CacheKey): Promise<void> {
    await attempted(() => this.#store.remove(key));
  }

  async #keyOf(request: OutgoingRequest): Promise<CacheKey> {
    const url = request.url.split("#", 1)[0]!;
    const fields = [...request.headers].filter(([name]) => !SHARED.includes(name)).sort();
    return [await this.#digest(plainURL(url)), await this.#digest(JSON.stringify([url, fields]))];
  }

  async #digest(text: string): Promise<string> {
    const { secret } = this.#store;
    if (!secret) return text;
    this.#digests ??= crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const bytes = await crypto.subtle.sign("HMAC", await this.#digests, new TextEncoder().encode(text));
    return Array.from(new Uint8Array(bytes).subarray(0, 20), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

/** A request, and what was known when it was sent. */
interface Asked {
  readonly request: OutgoingRequest;
  readonly key: CacheKey;
  readonly since: number;
  readonly requested: number;
  readonly entry: Entry | null;
}

/** When groups were forgotten: how many had been by then. The oldest are as one. */
class Writes {
  count = 0;
  #oldest = 0;
  readonly #last = new Map<string, number>();

  note(group: string): void {
    this.#last.delete(group);
    this.#last.set(group, ++this.count);
    if (this.#last.size <= KNOWN_WRITES) return;
    const [oldest, count] = this.#last.entries().next().value!;
    this.#last.delete(oldest);
    this.#oldest = count;
  }

  last(group: string): number {
    return this.#last.get(group) ?? this.#oldest;
  }
}

function isCacheable({ method, body, headers, credentials = "omit" }: OutgoingRequest): boolean {
  if (method !== "GET" || body || credentials !== "omit") return false;
  return !CONDITIONAL.some((name) => headers.has(name)) && !directivesOf(headers).has("no-store");
}

function isStorable(response: Response, largest: number): boolean {
  const { headers } = response;
  // Pages follow redirects out of our sight: such a response belongs to another URL.
  if (response.status !== 200 || response.redirected || !mayBeKept(headers)) return false;
  const size = headers.get("Content-Length") ?? "0";
  if (formatOf(mediaTypeOf(headers.get("Content-Type") ?? "")) || !/^\d+$/.test(size) || Number(size) > largest) return false;
  return conditionsOf(headers).length > 0 || lifetimeOf(headers, now()) > 0;
}

function mayBeKept(headers: Headers): boolean {
  return !directivesOf(headers).has("no-store") && !varyOf(headers).includes("*");
}

function varyOf(headers: Headers): string[] {
  return (headers.get("Vary") ?? "").toLowerCase().split(",").map((name) => name.trim()).filter(Boolean);
}

/** Return a request that asks whether an entry is still the current response. */
function withConditions(request: OutgoingRequest, entry: Entry): OutgoingRequest {
  const conditions = conditionsOf(fieldsOf(entry));
  // A page would have to be allowed to send these to another origin, which it may not be.
  if (!conditions.length || (isPage() && !isSameOrigin(request.url, pageAddress()))) return request;
  const headers = new Headers(request.headers);
  for (const [name, value] of conditions) headers.set(name, value);
  return { ...request, headers };
}

function responseOf(entry: Entry, at?: number): Response {
  const headers = fieldsOf(entry);
  if (at !== undefined) headers.set("Age", String(Math.floor(ageOf(entry, at))));
  return new Response(entry.body, { status: 200, statusText: "OK", headers });
}

function plainURL(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

function isSameOrigin(url: string, other: string): boolean {
  try {
    const [one, two] = [originOf(url), originOf(other)];
    return /^https?$/.test(one.scheme) && one.scheme === two.scheme && one.host === two.host && one.port === two.port;
  } catch {
    return false;
  }
}

async function attempted<T>(act: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch {
    return undefined;
  }
}

function now(): number {
  return Date.now() / 1000;
}

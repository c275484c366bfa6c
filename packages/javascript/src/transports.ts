import { LintelError } from "./errors.js";
import { failure } from "./failures.js";
import { Domain, mayGo, originOf } from "./origins.js";
import { type OnProgress, counter } from "./reading.js";
import { type OutgoingRequest, isPage } from "./request/building.js";
import { checkedHeader } from "./request/headers.js";
import { PUBLIC_HEADERS } from "./redirects.js";
import { sendWithProgress } from "./upload.js";

export interface SendingOptions {
  signal?: AbortSignal | undefined;
  onUploadProgress?: OnProgress | undefined;
}

/** The seam between the client and the network. */
export interface Transport {
  /** The URL schemes that it serves. */
  readonly schemes: readonly string[];
  /** Send one request, exactly as it is, and return the answer with its body unread. No redirects. */
  send(request: OutgoingRequest, options?: SendingOptions): Promise<Response>;
}

export interface HTTPTransportOptions {
  /** Values of the Authorization header by domain. */
  credentials?: Readonly<Record<string, string>>;
  /** Headers by domain; a name with a plain value goes to the origin of the call. */
  headers?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Milliseconds until the headers of the answer must be there; 0 for no limit. */
  timeout?: number;
  fetch?: typeof fetch;
}

type Bound = readonly [domain: Domain | null, name: string, value: string];

/** Sends over HTTP and HTTPS with the platform's fetch. */
export class HTTPTransport implements Transport {
  readonly schemes = ["http", "https"];
  readonly #bound: readonly Bound[];
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(options: HTTPTransportOptions = {}) {
    this.#bound = [...boundHeaders(options.headers ?? {}), ...boundCredentials(options.credentials ?? {})];
    this.#timeout = options.timeout ?? 30_000;
    this.#fetch = options.fetch ?? ((...call) => fetch(...call));
  }

  /** Return the request with the headers that this transport adds for its host. */
  prepared(request: OutgoingRequest): OutgoingRequest {
    const headers = new Headers(request.headers);
    for (const [domain, name, value] of this.#bound) {
      if (mayGo(domain, request.url, request.home)) headers.set(name, value);
    }
    return { ...request, headers };
  }

  async send(request: OutgoingRequest, options: SendingOptions = {}): Promise<Response> {
    const prepared = this.prepared(request);
    const clock = new Clock(this.#timeout, options.signal);
    try {
      return await this.#sent(prepared, { ...options, signal: clock.signal });
    } catch (cause) {
      const { scheme, host, port } = originOf(request.url);
      throw failure(cause, `The request to ${scheme}://${host}:${port} failed`, clock.signal);
    } finally {
      clock.stop();
    }
  }

  async #sent(request: OutgoingRequest, options: SendingOptions): Promise<Response> {
    const { onUploadProgress } = options;
    if (isPage() && onUploadProgress && request.body) return sendWithProgress(request, options);
    const init = initOf(request, options);
    const response = await this.#fetch(request.url, init);
    return response.type === "opaqueredirect" ? this.#whereTo(request, options) : response;
  }

  /**
   * A page does not learn where a redirect leads, and secrets must not follow unseen. So a safe request is
   * sent again without them, to see where it ends.
   */
  async #whereTo(request: OutgoingRequest, { signal }: SendingOptions): Promise<Response> {
    const isSafe = request.method === "GET" || request.method === "HEAD";
    const headers = publicHeaders(request.headers);
    const probe = isSafe && (await this.#fetch(request.url, { headers, credentials: "omit", signal: signal ?? null }));
    if (probe && probe.url !== request.url) {
      await probe.body?.cancel();
      return new Response(null, { status: 307, headers: { Location: probe.url } });
    }
    throw new LintelError("redirect", `${request.url} redirects; call the address that it redirects to`);
  }
}

/** A time limit and the caller's signal as one signal. */
class Clock {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeout: number, signal?: AbortSignal) {
    const abort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    // Stays after the headers have come, so that reading the body can be aborted too.
    signal?.addEventListener("abort", abort, { once: true });
    const expire = (): void => this.#controller.abort(new DOMException("It took too long", "TimeoutError"));
    this.#timer = timeout ? setTimeout(expire, timeout) : undefined;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function initOf(request: OutgoingRequest, { signal, onUploadProgress }: SendingOptions): RequestInit {
  const { method, headers, credentials = "omit" } = request;
  // What is public may be followed by the browser itself; elsewhere, every step is ours.
  const redirect = isPage() && !isSecret(request) ? "follow" : "manual";
  const init = { method, headers: checkedPage(headers), redirect, credentials, signal: signal ?? null } as const;
  return { ...init, ...bodyOf(request, onUploadProgress), cache: isPage() ? "default" : "no-store" };
}

function bodyOf(request: OutgoingRequest, onProgress?: OnProgress): RequestInit {
  const { body, headers } = request;
  if (!body || !onProgress) return { body };
  const blob = new Blob([body]);
  headers.set("Content-Length", String(blob.size));
  return { body: blob.stream().pipeThrough(counter(blob.size, onProgress)), duplex: "half" } as RequestInit;
}

function isSecret(request: OutgoingRequest): boolean {
  const isPublic = [...request.headers.keys()].every((name) => PUBLIC_HEADERS.includes(name));
  return !isPublic || request.credentials === "include";
}

function publicHeaders(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => PUBLIC_HEADERS.includes(name)));
}

/** Browsers drop some headers without a word; a call that needs one is refused instead. */
function checkedPage(headers: Headers): Headers {
  if (isPage() && headers.has("Cookie")) {
    throw new LintelError("network", "A browser does not let a page send cookies by hand: use SessionAuthentication");
  }
  return headers;
}

function boundCredentials(credentials: Readonly<Record<string, string>>): Bound[] {
  return Object.entries(credentials).map(([domain, value]) => [new Domain(domain), ...checkedHeader("Authorization", value)]);
}

function boundHeaders(headers: NonNullable<HTTPTransportOptions["headers"]>): Bound[] {
  return Object.entries(headers).flatMap(([name, value]): Bound[] => {
    if (typeof value === "string") return [[null, ...checkedHeader(name, value)]];
    return Object.entries(value).map(([inner, text]) => [new Domain(name), ...checkedHeader(inner, text)]);
  });
}

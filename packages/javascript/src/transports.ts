import { LintelError } from "./errors.js";
import { failure } from "./failures.js";
import { originOf } from "./origins.js";
import type { OnProgress } from "./reading.js";
import { PUBLIC_HEADERS, kept } from "./redirects.js";
import { type OutgoingRequest, isPage } from "./request/building.js";
import { withoutQuery } from "./urls.js";

export interface SendingOptions {
  signal?: AbortSignal | undefined;
  onUploadProgress?: OnProgress | undefined;
}

/** The interface between the client and the network. */
export interface Transport {
  /** The URL schemes that it serves. */
  readonly schemes: readonly string[];
  /** Send one request unchanged and return the response with its body unread. Follows no redirects. */
  send(request: OutgoingRequest, options?: SendingOptions): Promise<Response>;
}

export interface FetchOptions {
  /** Milliseconds until the headers of the response must have arrived; 0 for no limit. */
  timeout?: number;
  fetch?: typeof fetch;
}

/** Sends over HTTP and HTTPS with the platform's fetch. */
export class FetchTransport implements Transport {
  readonly schemes = ["http", "https"];
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(options: FetchOptions = {}) {
    this.#timeout = options.timeout ?? 30_000;
    this.#fetch = options.fetch ?? ((...call) => fetch(...call));
  }

  async send(request: OutgoingRequest, options: SendingOptions = {}): Promise<Response> {
    const [signal, lift] = limited(this.#timeout, options.signal);
    try {
      return await this.dispatched(request, { ...options, signal });
    } catch (cause) {
      const { scheme, host, port } = originOf(request.url);
      throw failure(cause, `The request to ${scheme}://${host}:${port} failed`, signal);
    } finally {
      lift();
    }
  }

  protected async dispatched(request: OutgoingRequest, options: SendingOptions, more: RequestInit = {}): Promise<Response> {
    const response = await this.#fetch(request.url, { ...initOf(request, options), ...more });
    return response.type === "opaqueredirect" ? this.#whereTo(request, options) : response;
  }

  /**
   * A page cannot see the target of a redirect, and secrets must not follow it. So a safe request is
   * repeated without them, to learn its target.
   */
  async #whereTo(request: OutgoingRequest, { signal }: SendingOptions): Promise<Response> {
    const isSafe = request.method === "GET" || request.method === "HEAD";
    const headers = kept(request.headers, isPublic);
    const probe = isSafe && (await this.#fetch(request.url, { headers, credentials: "omit", signal: signal ?? null }));
    if (probe && probe.url !== request.url) {
      await probe.body?.cancel();
      return new Response(null, { status: 307, headers: { Location: probe.url } });
    }
    throw new LintelError("redirect", `${withoutQuery(request.url)} redirects; call the URL it redirects to`);
  }
}

/** Return a time limit and the caller's signal as one signal; the limit can be lifted. */
function limited(timeout: number, signal?: AbortSignal): [signal: AbortSignal, lift: () => void] {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  // Kept after the headers have come, so that reading the body can be aborted too.
  signal?.addEventListener("abort", abort);
  const expire = (): void => controller.abort(new DOMException("", "TimeoutError"));
  const timer = timeout && setTimeout(expire, timeout);
  return [controller.signal, () => clearTimeout(timer)];
}

function initOf(request: OutgoingRequest, { signal }: SendingOptions): RequestInit {
  const { method, headers, body, credentials = "omit" } = request;
  if (isPage() && headers.has("Cookie")) {
    // Browsers drop this header silently.
    throw new LintelError("network", "Browsers do not let pages set the Cookie header: use SessionAuthentication");
  }
  // The browser itself may follow redirects of requests without secrets; otherwise we follow each step.
  const isOpen = isPage() && credentials !== "include" && [...headers.keys()].every(isPublic);
  return { method, headers, body, credentials, redirect: isOpen ? "follow" : "manual", signal: signal ?? null };
}

function isPublic(name: string): boolean {
  return PUBLIC_HEADERS.includes(name);
}

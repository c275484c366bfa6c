import { Domain, mayGo } from "./origins.js";
import { counter } from "./reading.js";
import { noteRefusal } from "./refusals.js";
import { type OutgoingRequest, isPage } from "./request/building.js";
import { checkedHeader } from "./request/headers.js";
import { type FetchOptions, FetchTransport, type SendingOptions } from "./transports.js";
import { sendWithProgress } from "./upload.js";

export interface HTTPTransportOptions extends FetchOptions {
  /** Values of the Authorization header by domain. */
  credentials?: Readonly<Record<string, string>>;
  /** Headers by domain; a plain value is sent only to the origin of the call. */
  headers?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Keeps responses to GET as their servers allow it; off by default. */
  cache?: ResponseCache;
}

/** Answers requests from what it keeps, as Cache of lintel-client/cache does. */
export interface ResponseCache {
  send(request: OutgoingRequest, send: (request: OutgoingRequest) => Promise<Response>): Promise<Response>;
}

type Bound = readonly [domain: Domain | null, name: string, value: string];

/** Sends with fetch; adds headers that are bound to domains, and reports the progress of uploads. */
export class HTTPTransport extends FetchTransport {
  readonly #bound: readonly Bound[];
  readonly #cache: ResponseCache | undefined;

  constructor(options: HTTPTransportOptions = {}) {
    super(options);
    this.#cache = options.cache;
    this.#bound = [...boundHeaders(options.headers ?? {}), ...boundCredentials(options.credentials ?? {})];
  }

  /** Return the request with the headers that this transport adds for its host. */
  prepared(request: OutgoingRequest): OutgoingRequest {
    const headers = new Headers(request.headers);
    for (const [domain, name, value] of this.#bound) {
      if (mayGo(domain, request.url, request.home)) headers.set(name, value);
    }
    return { ...request, headers };
  }

  override async send(request: OutgoingRequest, options: SendingOptions = {}): Promise<Response> {
    const send = (sent: OutgoingRequest): Promise<Response> => super.send(sent, options);
    const prepared = this.prepared(request);
    const response = await (this.#cache ? this.#cache.send(prepared, send) : send(prepared));
    if (prepared.headers.get("Authorization") !== request.headers.get("Authorization")) noteRefusal(prepared, response);
    return response;
  }

  protected override async dispatched(request: OutgoingRequest, options: SendingOptions): Promise<Response> {
    const { onUploadProgress } = options;
    if (!request.body || !onUploadProgress) return super.dispatched(request, options);
    if (isPage()) return sendWithProgress(request, options);
    const blob = new Blob([request.body]);
    request.headers.set("Content-Length", String(blob.size));
    const body = blob.stream().pipeThrough(counter(blob.size, onUploadProgress));
    return super.dispatched(request, options, { body, duplex: "half" } as RequestInit);
  }
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

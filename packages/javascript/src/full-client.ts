import { type ActionOptions, Client as NativeClient, type ClientOptions as NativeOptions, type Keys, nativeDecoders } from "./client.js";
import type { Codec } from "./codec.js";
import { CoreJSONCodec } from "./codecs/corejson.js";
import type { Document } from "./document.js";
import type { Answer } from "./exchange.js";
import { type Extras, extras } from "./extras.js";
import { nearNames } from "./hints.js";
import { HTTPTransport } from "./http-transport.js";
import type { Link, LinkInit } from "./link.js";
import { typeOfEnding } from "./media-types.js";
import { withBodyFields } from "./openapi/bodies.js";
import { OpenAPICodec } from "./openapi/codec.js";
import { originOf, sameHome } from "./origins.js";
import { Page, type Pagination } from "./pages.js";
import { listed } from "./problems.js";
import { PUBLIC_HEADERS, kept } from "./redirects.js";
import type { OutgoingRequest } from "./request/building.js";
import type { ParameterValues } from "./request/parameters.js";
import { type Retry, withRetries } from "./retries.js";
import { resolve } from "./urls.js";
import { type VersionPlace, versioned } from "./versions.js";

Object.assign(extras, { near: nearNames, typeOfEnding, listed } satisfies Extras);

export interface ClientOptions extends NativeOptions {
  /** The version of the API to ask for: a parameter of the Accept header, or wherever `in` says. */
  version?: string | VersionPlace | null;
  /** How often, and when, to repeat a request that failed; off by default. */
  retry?: number | Retry | null;
}

export interface PageOptions extends ActionOptions {
  /** How to find the next page, where neither the description nor the response says so. */
  pagination?: Pagination;
}

/** The default codecs of a client. */
export function defaultDecoders(): Codec[] {
  const [, ...data] = nativeDecoders();
  return [new CoreJSONCodec(), new OpenAPICodec(), ...data];
}

/** The client that reads the native format and OpenAPI, iterates over pages, retries and asks for versions. */
export class Client extends NativeClient {
  readonly #retry: Retry;
  readonly #version: VersionPlace | null;

  constructor(options: ClientOptions = {}) {
    super({ ...options, decoders: options.decoders ?? defaultDecoders(), transports: options.transports ?? [new HTTPTransport()] });
    const { retry, version } = options;
    this.#retry = typeof retry === "number" ? { total: retry } : (retry ?? { total: 0 });
    this.#version = typeof version === "string" ? { version } : (version ?? null);
  }

  /**
   * Iterate over the items of a list, page after page. Ends at a link seen before; credentials and headers
   * never follow a link to another host.
   */
  async *pages(document: Document, keys: Keys, params: ParameterValues = {}, options: PageOptions = {}): AsyncGenerator<any, void, void> {
    const found = this.found(document, keys, options);
    const first = this.built(document, found, params, options);
    const hint = options.pagination ?? found.link.pagination;
    const seen = new Set<string>();
    let [request, given, chosen]: [OutgoingRequest | null, ParameterValues, ParameterValues | null] = [first, params, null];
    for (let place = first.url; request && !seen.has(place); place = `${request?.url} ${JSON.stringify(chosen)}`) {
      seen.add(place);
      const [response, url]: Answer = await this.answered(request, options, found.link);
      const page: Page = new Page(await this.decoded([response, url], options), response.headers, hint);
      yield* page.items();
      const next: string | null = page.nextURL(found.link);
      chosen = next === null ? page.nextParameters(found.link, given) : null;
      if (next === null && !chosen && request === first) warn(page.signOfMore(given));
      given = { ...given, ...chosen };
      request = next !== null ? atURL(first, resolve(url, next)) : chosen && this.built(document, found, given, options);
    }
  }

  protected override changed(link: Link, changes: LinkInit): Link {
    return link.replace(withBodyFields(link, changes));
  }

  protected override adapted(request: OutgoingRequest): OutgoingRequest {
    return this.#version ? versioned(request, this.#version) : request;
  }

  /** Return the version as a parameter if the path of the URL has a variable for it. */
  protected override completed(link: Link, params: ParameterValues): ParameterValues {
    const name = this.#version?.name ?? "version";
    const fits = this.#version?.in === "path" && link.url.includes(`{${name}}`) && !(name in params);
    return fits ? { ...params, [name]: this.#version?.version } : params;
  }

  protected override sent(request: OutgoingRequest, send: () => Promise<Response>, signal?: AbortSignal): Promise<Response> {
    return withRetries(request, this.#retry, send, signal);
  }
}

/** Return the request for a further page: headers and body given for one host are not sent to another. */
function atURL(first: OutgoingRequest, url: string): OutgoingRequest {
  if (sameHome(originOf(url), originOf(first.url))) return { ...first, url };
  return { ...first, method: "GET", url, headers: kept(first.headers, (name) => PUBLIC_HEADERS.includes(name)), body: null };
}

function warn(sign: string): void {
  if (sign) console.warn(`The first page says that there are more items (${sign}), but not how to get them: say so, with { pagination: { … } }`);
}

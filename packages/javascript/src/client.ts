import type { Auth } from "./auth.js";
import type { Codec } from "./codec.js";
import { CoreJSONReader } from "./codecs/corejson-reader.js";
import { JSONCodec, TextCodec } from "./codecs/data.js";
import { Document, type Key } from "./document.js";
import { LintelError } from "./errors.js";
import { type Answer, authenticated, exchange } from "./exchange.js";
import { failure } from "./failures.js";
import type { Link, LinkInit } from "./link.js";
import { type FoundLink, findLink } from "./lookup.js";
import { acceptData, acceptDocuments, decoderForFormat } from "./negotiation.js";
import { type Origin, originOf, sameHome } from "./origins.js";
import type { OnProgress } from "./reading.js";
import { type OutgoingRequest, buildGet, buildRequest } from "./request/building.js";
import type { ParameterValues } from "./request/parameters.js";
import { NO_CONTENT, decodeResponse } from "./responses.js";
import { applyTransform } from "./transforms.js";
import { FetchTransport, type Transport } from "./transports.js";
import { pageAddress, resolve, withoutQuery } from "./urls.js";

export interface ClientOptions {
  auth?: Auth | null;
  decoders?: readonly Codec[];
  transports?: readonly Transport[];
  /** Integers beyond 2^53 become BigInt instead of losing digits. */
  bigint?: boolean;
  /** The largest response held in memory, in bytes. */
  maxBody?: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  onDownloadProgress?: OnProgress;
  onUploadProgress?: OnProgress;
}

export interface GetOptions extends CallOptions {
  /** The name of the codec to read with, whatever the content type. */
  format?: string;
}

export interface ActionOptions extends CallOptions {
  /** False allows unknown names. */
  validate?: boolean;
  /** Attributes of the link to replace, such as the media type of the body if the server accepts several. */
  overrides?: LinkInit;
}

export type Keys = readonly Key[] | string;

/** The codecs of the native format and of plain data. */
export function nativeDecoders(): Codec[] {
  return [new CoreJSONReader(), new JSONCodec(), new TextCodec()];
}

/**
 * Calls an API as described by its documents.
 *
 * All methods that send requests reject with a LintelError for every kind of failure.
 */
export class Client {
  readonly auth: Auth | null;
  readonly decoders: readonly Codec[];
  readonly transports: readonly Transport[];
  readonly #options: ClientOptions;
  readonly #homes: [Origin, string][] = [];

  constructor(options: ClientOptions = {}) {
    this.auth = options.auth ?? null;
    this.decoders = options.decoders ?? nativeDecoders();
    this.transports = options.transports ?? [new FetchTransport()];
    this.#options = options;
    if (!this.decoders.length || !this.transports.length) {
      throw new TypeError("A client needs a decoder and a transport");
    }
  }

  /** Fetch a URL and return its content: a Document if the server describes itself. */
  async get(url: string, options: GetOptions = {}): Promise<any> {
    const absolute = resolve(pageAddress(), url);
    this.#homes.push([originOf(absolute), absolute]);
    return this.#fetched(absolute, options);
  }

  /** Fetch a document again. */
  async reload(document: Document, options: GetOptions = {}): Promise<any> {
    if (!document.url) throw new LintelError("network", "A document without a URL cannot be reloaded");
    return this.#fetched(document.url, options);
  }

  /**
   * Call the link at a path of keys and return its result: plain data, a Document, text, a Download, or null
   * for no content. A link that acts in place on an embedded document returns the whole changed document.
   */
  async action(document: Document, keys: Keys, params: ParameterValues = {}, options: ActionOptions = {}): Promise<any> {
    const found = this.found(document, keys, options);
    const request = this.built(document, found, params, options);
    const answer = await this.answered(request, options, found.link);
    return applyTransform(document, found, await this.decoded(answer, options));
  }

  /** Return the request that `action` would send, including credentials, without sending it. */
  request(document: Document, keys: Keys, params: ParameterValues = {}, options: ActionOptions = {}): OutgoingRequest {
    const found = this.found(document, keys, options);
    return authenticated(this.built(document, found, params, options), this.auth, found.link);
  }

  /** Return a request with the headers common to all requests of this client. To be overridden. */
  protected adapted(request: OutgoingRequest): OutgoingRequest {
    return request;
  }

  /** Return the parameters of a call with those common to all calls of this client. To be overridden. */
  protected completed(_link: Link, params: ParameterValues): ParameterValues {
    return params;
  }

  /** Send one request with `send`. To be overridden. */
  protected sent(_request: OutgoingRequest, send: () => Promise<Response>, _signal?: AbortSignal): Promise<Response> {
    return send();
  }

  protected found(document: Document, keys: Keys, { overrides }: ActionOptions): FoundLink {
    const found = findLink(document, keys);
    return overrides ? { ...found, link: this.changed(found.link, overrides) } : found;
  }

  /** Return a link with other attributes. To be overridden. */
  protected changed(link: Link, changes: LinkInit): Link {
    return link.replace(changes);
  }

  protected built(document: Document, found: FoundLink, params: ParameterValues, options: ActionOptions): OutgoingRequest {
    const building = { ...options, baseUrl: found.document.url, accept: acceptData(this.decoders) };
    const request = buildRequest(found.link, this.completed(found.link, params), building);
    return this.adapted({ ...request, home: this.#home(document.url || request.url) });
  }

  async #fetched(url: string, options: GetOptions): Promise<unknown> {
    const forced = options.format ? decoderForFormat(this.decoders, options.format) : undefined;
    const request = buildGet(url, acceptDocuments(forced ? [forced] : this.decoders));
    const answer = await this.answered(this.adapted({ ...request, home: this.#home(url) }), options);
    const result = await this.decoded(answer, options, { forced, findsDocuments: true });
    return result === NO_CONTENT ? null : result;
  }

  /**
   * The URL on whose behalf a request is made: `url` if its origin is trusted.
   *
   * Trusted are the origins that were passed to `get`. Nothing a server sends, such as a redirect or a URL in a
   * document, adds to them, so it cannot redirect credentials elsewhere.
   */
  #home(url: string): string {
    const origin = originOf(url);
    const [first] = this.#homes;
    const isTrusted = !first || this.#homes.some(([home]) => sameHome(origin, home));
    return isTrusted ? url : first[1];
  }

  protected async answered(request: OutgoingRequest, { signal, onUploadProgress }: CallOptions, link?: Link): Promise<Answer> {
    const send = (sent: OutgoingRequest): Promise<Response> =>
      this.sent(sent, () => this.#transport(sent).send(sent, { signal, onUploadProgress }), signal);
    try {
      return await exchange(request, this.auth, send, link);
    } catch (cause) {
      throw failure(cause, `The request to ${withoutQuery(request.url)} failed`, signal);
    }
  }

  protected async decoded([response, url]: Answer, options: CallOptions, more: { forced?: Codec | undefined; findsDocuments?: boolean } = {}): Promise<unknown> {
    const { bigint = false, maxBody = 256 * 1024 * 1024 } = this.#options;
    const { decoders } = this;
    return decodeResponse(response, { decoders, url, bigint, limit: maxBody, onProgress: options.onDownloadProgress, ...more });
  }

  #transport(request: OutgoingRequest): Transport {
    const { scheme } = originOf(request.url);
    const found = this.transports.find((transport) => transport.schemes.includes(scheme));
    if (found) return found;
    const known = this.transports.flatMap((transport) => transport.schemes).join(", ");
    throw new LintelError("network", `No transport serves ${JSON.stringify(scheme)} URLs; available: ${known}`);
  }
}

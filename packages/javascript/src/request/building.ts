import { LintelError } from "../errors.js";
import type { Link } from "../link.js";
import { checkedURL, pageAddress, resolve, withoutFragment } from "../urls.js";
import { expand } from "../templates.js";
import { VERSION } from "../version.js";
import { type Parameters, type ParameterValues, parameterError, sortParameters, writerOf } from "./parameters.js";
import { makesDots } from "./segments.js";
import type { Body } from "./writer.js";

/** Everything that a transport needs to send a request. `home` is the URL on whose behalf it is made. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Body;
  readonly home: string;
  readonly credentials?: RequestCredentials;
}

export interface BuildingOptions {
  baseUrl?: string;
  accept?: string;
  validate?: boolean;
}

/** Return the request that fetches a URL. */
export function buildGet(url: string, accept: string): OutgoingRequest {
  const target = withoutFragment(resolve(pageAddress(), url));
  checkedURL(target);
  return { method: "GET", url: target, headers: baseHeaders(accept), body: null, home: target };
}

/** Return the request of a link in the document at `baseUrl`. Nothing is sent. */
export function buildRequest(link: Link, params: ParameterValues, options: BuildingOptions = {}): OutgoingRequest {
  if (link.problem) throw new LintelError("lookup", `This operation cannot be called: ${link.problem}`);
  const parameters = sortParameters(link, params, options.validate ?? true);
  const [body, described] = writerOf(link).encode(link, parameters);
  const headers = baseHeaders(options.accept ?? "*/*");
  for (const [name, value] of [...described, ...parameterHeaders(parameters)]) headers.set(name, value);
  const url = urlOf(resolve(options.baseUrl || pageAddress(), link.url), parameters);
  checkedURL(url);
  return { method: methodOf(link), url, headers, body, home: options.baseUrl || url };
}

function baseHeaders(accept: string): Headers {
  return new Headers(isPage() ? { Accept: accept } : { Accept: accept, "User-Agent": `lintel/${VERSION}` });
}

/** Browsers send their own User-Agent, and would need permission from other hosts for one of ours. */
export function isPage(): boolean {
  return typeof (globalThis as { document?: unknown }).document === "object" || "WorkerGlobalScope" in globalThis;
}

function methodOf(link: Link): string {
  const method = link.action || "get";
  if (!/^[A-Za-z][A-Za-z-]*$/.test(method)) {
    throw new LintelError("network", `The link's action ${JSON.stringify(method)} is not an HTTP method`);
  }
  return method.toUpperCase();
}

function urlOf(template: string, parameters: Parameters): string {
  const expanded = withoutFragment(expand(template, parameters.path));
  if (makesDots(template, expanded)) throw parameterError(Array.from(parameters.path, ([name]) => [name, "This parameter must not be a dot segment."]));
  const url = expanded.replace(/[^\x21-\x7e\\]|["<>^`{|}]/gu, literal);
  if (!parameters.query.length) return url;
  const joint = /[?&]$/.test(url) ? "" : url.includes("?") ? "&" : "?";
  return url + joint + parameters.query.join("&");
}

/** Encode literal text of a template that a URL does not allow (RFC 6570, section 3.1); controls are rejected later. */
function literal(character: string): string {
  return /[\x00-\x1f\x7f\p{Surrogate}]/u.test(character) ? character : encodeURIComponent(character);
}

function parameterHeaders(parameters: Parameters): [string, string][] {
  const { headers, cookies } = parameters;
  return cookies.length ? [...headers, ["Cookie", cookies.join("; ")]] : headers;
}

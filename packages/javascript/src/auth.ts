import type { Link } from "./link.js";
import type { OutgoingRequest } from "./request/building.js";
import { Domain, mayGo } from "./origins.js";
import { byteText, checkedHeader } from "./request/headers.js";

/** What an authentication adds to one request: headers, cookies, another URL. */
export interface Proof {
  readonly headers?: readonly (readonly [string, string])[];
  readonly credentials?: RequestCredentials;
  readonly url?: string;
}

/**
 * Base of all authentication: what it adds is sent only to the origin of the call, or to `domain`.
 *
 * Without a domain that is the origin of the document only, not that of links elsewhere or of redirects. Nothing
 * is sent from an https home to a plain http URL.
 */
export abstract class Auth {
  readonly domain: Domain | null;

  constructor(domain?: string) {
    this.domain = domain === undefined ? null : new Domain(domain);
  }

  /** Return what to add to a request, which is one step of an exchange. */
  proof(request: OutgoingRequest, link?: Link): Proof {
    return mayGo(this.domain, request.url, request.home) ? this.credentials(request, link) : {};
  }

  /** Return what to add for a host that may see it. */
  abstract credentials(request: OutgoingRequest, link?: Link): Proof;

  /** Get what the credentials of a request need, such as a token. */
  ready?(request: OutgoingRequest): Promise<void>;

  /** Get other credentials after status 401; return whether to send the request once more. */
  renew?(sent: OutgoingRequest): Promise<boolean>;

  /** Read a response, for example its cookies. Does nothing by default. */
  observe(_request: OutgoingRequest, _response: Response): void {}
}

export interface TokenOptions {
  token: string;
  scheme?: string;
  domain?: string;
}

/** Sends `Authorization: <scheme> <token>`. */
export class TokenAuthentication extends Auth {
  readonly #field: [string, string];

  constructor({ token, scheme = "Bearer", domain }: TokenOptions) {
    super(domain);
    if (!token) throw new TypeError("A token is missing: new TokenAuthentication({ scheme, token })");
    this.#field = checkedHeader("Authorization", `${scheme} ${token}`);
  }

  credentials(): Proof {
    return { headers: [this.#field] };
  }
}

export interface BasicOptions {
  username: string;
  password: string;
  domain?: string;
}

/** Sends a user name and password as HTTP Basic credentials in UTF-8 (RFC 7617). */
export class BasicAuthentication extends Auth {
  readonly #field: [string, string];

  constructor({ username, password, domain }: BasicOptions) {
    super(domain);
    this.#field = ["Authorization", basicCredentials(username, password)];
  }

  credentials(): Proof {
    return { headers: [this.#field] };
  }
}

/** Return the value of an Authorization header for HTTP Basic. */
export function basicCredentials(username: string, password: string): string {
  if (username.includes(":")) throw new TypeError("A user name for HTTP Basic must not contain a colon");
  return `Basic ${btoa(byteText(`${username}:${password}`))}`;
}

export interface SessionOptions {
  csrfCookieName?: string;
  csrfHeaderName?: string;
  domain?: string;
}

/**
 * Authenticates with the cookies of the browser.
 *
 * Unsafe requests send the current value of the CSRF cookie in the CSRF header.
 */
export class SessionAuthentication extends Auth {
  readonly csrfCookieName: string;
  readonly csrfHeaderName: string;

  constructor({ csrfCookieName = "csrftoken", csrfHeaderName = "X-CSRFToken", domain }: SessionOptions = {}) {
    super(domain);
    this.csrfCookieName = csrfCookieName;
    this.csrfHeaderName = csrfHeaderName;
  }

  credentials(request: OutgoingRequest): Proof {
    const credentials = this.domain ? "include" : "same-origin";
    return { credentials, headers: this.csrf(request, pageCookies() ?? "") };
  }

  protected csrf(request: OutgoingRequest, cookies: string): [string, string][] {
    const found = isSafe(request) ? undefined : cookieValue(cookies, this.csrfCookieName);
    return found === undefined ? [] : [checkedHeader(this.csrfHeaderName, found)];
  }
}

export function isSafe(request: OutgoingRequest): boolean {
  return ["GET", "HEAD", "OPTIONS", "TRACE"].includes(request.method);
}

/** The cookies of the page; null outside of pages. */
export function pageCookies(): string | null {
  const page = (globalThis as { document?: { cookie?: unknown } }).document;
  return typeof page?.cookie === "string" ? page.cookie : null;
}

function cookieValue(cookies: string, name: string): string | undefined {
  const pair = cookies.split("; ").find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

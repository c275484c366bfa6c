/** OAuth 2: tokens from an authorization server, obtained and renewed for a client. */
import { Auth, type Proof, basicCredentials } from "./auth.js";
import { type ErrorCode, LintelError } from "./errors.js";
import { Domain, mayGo, originOf, sameHome, type Origin } from "./origins.js";
import { readAll } from "./reading.js";
import type { OutgoingRequest } from "./request/building.js";
import { withoutQuery } from "./urls.js";

const LIMIT = 256 * 1024;
const TIMEOUT = 60_000;
const EARLY = 60_000;
const LONGEST_LIFE = 10 * 365 * 24 * 3600;
const LONGEST_TOKEN = 64 * 1024;
const OWN_PARAMETERS = [
  ...["grant_type", "client_id", "client_secret", "code", "code_verifier", "code_challenge", "code_challenge_method"],
  ...["redirect_uri", "refresh_token", "response_type", "state", "scope"],
];

/** The endpoints of an authorization server, each https or on this machine. */
export interface AuthorizationServer {
  readonly tokenURL: string;
  readonly issuer?: string;
  readonly authorizationURL?: string;
  /** The ways in which clients may authenticate, as its metadata lists them. */
  readonly authMethods?: readonly string[];
  /** Whether it names itself in every answer to the browser (RFC 9207). */
  readonly sendsIssuer?: boolean;
}

/** Tokens as plain data. Times are in milliseconds since the epoch. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  readonly receivedAt?: number;
  readonly scope?: string;
  /** The endpoint that the tokens are from, the only one that gets the refresh token. */
  readonly tokenURL?: string;
  /** The origin that the access token goes to and no other, as a URL; without one, the first call decides. */
  readonly host?: string;
}

export interface ClientOptions {
  /** The issuer, whose metadata names its endpoints, or the endpoints. */
  server: string | AuthorizationServer;
  clientId: string;
  clientSecret?: string;
  scopes?: readonly string[];
  /** Further parameters of requests for tokens, such as `audience`. */
  parameters?: Readonly<Record<string, string>>;
  /** Further hosts that may see secrets, for issuers whose endpoints are elsewhere. */
  trustedHosts?: readonly string[];
  fetch?: typeof fetch;
}

export interface OAuth2Options extends ClientOptions {
  /** The tokens that there are already. */
  tokens?: Tokens | null;
  /** Called with new tokens, to keep them; calls wait until it has done so. */
  onTokens?: (tokens: Tokens) => void | Promise<void>;
  domain?: string;
}

/**
 * Sends an access token, and renews it with its refresh token shortly before its end or once it is refused.
 *
 * Tokens go to the origin of the first call and to no other, or to `domain`. Calls at the same time renew a token
 * once. Calls reject with a LintelError, "login" if only a person can get new tokens, "oauth2" for anything else.
 */
export class OAuth2Authentication extends Auth {
  readonly #options: OAuth2Options;
  #server: AuthorizationServer | null = null;
  #tokens: Tokens | null;
  #renewing: Promise<void> | null = null;
  #home: Origin | null = null;

  constructor(options: OAuth2Options) {
    super(options.domain);
    checkOptions(options);
    this.#options = options;
    this.#tokens = options.tokens ?? null;
    this.#home = this.#tokens?.host ? originOf(this.#tokens.host) : null;
  }

  credentials(request: OutgoingRequest): Proof {
    return this.#tokens && this.#isFor(request) ? { headers: [["Authorization", this.#header(this.#tokens)]] } : {};
  }

  override async ready(request: OutgoingRequest): Promise<void> {
    if (!mayGo(this.domain, request.url, request.home)) return;
    this.#home ??= originOf(request.home || request.url);
    const old = this.#tokens;
    if (!this.#isFor(request) || (old && !isDue(old))) return;
    // The clock may be wrong: the service decides about a token that nothing can replace.
    if (old && !this.canRenew(old)) return;
    await this.#renewed().catch((error: unknown) => {
      if (!old || isOver(old)) throw error;
    });
  }

  override async renew(sent: OutgoingRequest): Promise<boolean> {
    const used = sent.headers.get("Authorization");
    if (!this.#tokens || !used || !this.#isFor(sent)) return false;
    if (used !== this.#header(this.#tokens)) return used.startsWith("Bearer ");
    if (!this.canRenew(this.#tokens)) return false;
    await this.#renewed();
    return true;
  }

  protected canRenew(tokens: Tokens): boolean {
    return Boolean(tokens.refreshToken);
  }

  /** Return the first tokens. To be overridden. */
  protected granted(_server: AuthorizationServer, _options: ClientOptions): Promise<Tokens> {
    return Promise.reject(failure("login", "There are no tokens: log in"));
  }

  #renewed(): Promise<void> {
    this.#renewing ??= this.#obtained().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #obtained(): Promise<void> {
    const { server } = this.#options;
    this.#server ??= typeof server === "string" ? await discovered(server, this.#options) : server;
    const old = this.#tokens;
    const isRefreshable = old?.refreshToken && (old.tokenURL ?? this.#server.tokenURL) === this.#server.tokenURL;
    const made = isRefreshable ? await refreshed(this.#server, this.#options, old) : await this.granted(this.#server, this.#options);
    this.#tokens = this.#home ? { ...made, host: urlOf(this.#home) } : made;
    await this.#options.onTokens?.(this.#tokens);
  }

  #header({ accessToken }: Tokens): string {
    return `Bearer ${accessToken}`;
  }

  #isFor(request: OutgoingRequest): boolean {
    if (!mayGo(this.domain, request.url, request.home)) return false;
    return Boolean(this.domain) || !this.#home || sameHome(originOf(request.url), this.#home);
  }
}

/** Authenticates a program as itself, with a client id and a secret (RFC 6749, 4.4). Not for web pages. */
export class ClientCredentials extends OAuth2Authentication {
  protected override canRenew(): boolean {
    return true;
  }

  protected override granted(server: AuthorizationServer, options: ClientOptions): Promise<Tokens> {
    return requested(server, options, { grant_type: "client_credentials", ...scopeOf(options) });
  }
}

/** A sign-in that has begun: plain data, to be kept until the browser comes back. */
export interface Login {
  /** The page on which the person signs in. */
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirectURI: string;
  readonly server: AuthorizationServer;
}

/** Begin a sign-in in the browser (RFC 6749, 4.1, with PKCE, RFC 7636). */
export async function startLogin(options: ClientOptions & { redirectURI: string }): Promise<Login> {
  checkOptions(options);
  const { redirectURI, clientId, parameters = {} } = options;
  const server = typeof options.server === "string" ? await discovered(options.server, options) : options.server;
  if (!server.authorizationURL) throw failure("oauth2", "The server has no endpoint for signing in");
  const [state, verifier] = [randomText(), randomText()];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const url = new URL(secure(server.authorizationURL));
  const asked = {
    ...parameters,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectURI,
    ...scopeOf(options),
    state,
    code_challenge: base64URL(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier, redirectURI, server };
}

/** Return the tokens of a sign-in, from the URL with which the browser came back. */
export async function finishLogin(login: Login, url: string, options: Omit<ClientOptions, "server">): Promise<Tokens> {
  const { server, state, verifier, redirectURI } = login;
  const given = new URL(url).searchParams;
  if ([...given.keys()].length !== new Set(given.keys()).size) {
    throw failure("oauth2", "The answer of the browser is ambiguous: a parameter is repeated");
  }
  if (given.get("state") !== state) {
    throw failure("oauth2", "The answer of the browser belongs to another sign-in: its state differs");
  }
  checkIssuer(given.get("iss"), server);
  if (given.has("error")) throw refusal(Object.fromEntries(given), 400, server.authorizationURL ?? server.tokenURL, []);
  const code = given.get("code");
  if (!code) throw failure("oauth2", "The answer of the browser has no code");
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectURI, code_verifier: verifier };
  return requested(server, { ...options, server }, form);
}

/** Return the server that the metadata of an issuer describes (RFC 8414, OpenID Connect Discovery). */
export async function discovered(issuer: string, options: Pick<ClientOptions, "trustedHosts" | "fetch"> = {}): Promise<AuthorizationServer> {
  let trouble: unknown = null;
  for (const url of metadataURLs(secure(issuer))) {
    try {
      const [status, metadata] = await asked(url, options.fetch);
      if (status < 400) return serverOf(issuer, metadata, options.trustedHosts ?? []);
      if (status >= 500) throw failure("oauth2", `${url} answered with status ${status}`);
    } catch (error) {
      if (!(error instanceof LintelError) || error.code !== "oauth2") throw error;
      trouble ??= error;
    }
  }
  throw trouble ?? failure("oauth2", `${issuer} publishes no metadata (RFC 8414, OpenID Connect)`);
}

/** Return where an issuer may have its metadata. */
export function metadataURLs(issuer: string): string[] {
  const { origin, pathname, search } = new URL(issuer);
  if (search) throw failure("oauth2", `The issuer ${issuer} must not have a query`);
  const path = pathname.replace(/\/+$/, "");
  const [own, openID] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
  const first = [`${origin}${own}${path}`, `${origin}${path}${openID}`];
  return path ? [...first, `${origin}${openID}${path}`, `${origin}${path}${own}`] : first;
}

function serverOf(issuer: string, metadata: Answer, trusted: readonly string[]): AuthorizationServer {
  const named = metadata["issuer"];
  if (typeof named !== "string" || withoutSlash(named) !== withoutSlash(issuer)) {
    throw failure("oauth2", `The metadata of ${issuer} is about another issuer, ${JSON.stringify(named)?.slice(0, 200)}`);
  }
  const methods = metadata["token_endpoint_auth_methods_supported"];
  const tokenURL = endpoint(issuer, metadata, "token_endpoint", trusted);
  if (!tokenURL) throw failure("oauth2", `${issuer} has no token endpoint`);
  return {
    issuer: named,
    tokenURL,
    authorizationURL: endpoint(issuer, metadata, "authorization_endpoint", trusted),
    authMethods: Array.isArray(methods) ? methods.filter((each) => typeof each === "string") : [],
    sendsIssuer: metadata["authorization_response_iss_parameter_supported"] === true,
  };
}

function endpoint(issuer: string, metadata: Answer, member: string, trusted: readonly string[]): string {
  const url = metadata[member];
  if (typeof url !== "string" || !url) return "";
  const origin = originOf(secure(url));
  const own = originOf(issuer);
  const isOwn = origin.scheme === own.scheme && origin.host === own.host && origin.port === own.port;
  if (!isOwn && !trusted.some((text) => new Domain(text).matches(origin))) {
    const { host } = new URL(url);
    throw failure("oauth2", `The ${member} of ${issuer} is on another host, ${host}. If that is right, name ${host} among the trusted hosts`);
  }
  return url;
}

function checkIssuer(issuer: string | null, server: AuthorizationServer): void {
  if (issuer === null && server.sendsIssuer) {
    throw failure("oauth2", `The answer of the browser lacks its issuer, which ${server.issuer} names`);
  }
  if (issuer !== null && !isIssuerOf(issuer, server)) {
    throw failure("oauth2", `The answer of the browser is not from ${server.issuer || originName(server.tokenURL)}`);
  }
}

/** Return whether an issuer is that of a server; if it is unknown, whether it is on its host. */
function isIssuerOf(issuer: string, server: AuthorizationServer): boolean {
  if (server.issuer) return withoutSlash(issuer) === withoutSlash(server.issuer);
  const own = [server.tokenURL, server.authorizationURL ?? ""].filter(Boolean).map(originName);
  return URL.canParse(issuer) && own.includes(originName(issuer));
}

async function refreshed(server: AuthorizationServer, options: ClientOptions, old: Tokens): Promise<Tokens> {
  const form = { grant_type: "refresh_token", refresh_token: old.refreshToken! };
  const made = await requested(server, options, form).catch((error: unknown) => {
    if (!(error instanceof LintelError) || (error.content as Answer | null)?.["error"] !== "invalid_grant") throw error;
    const name = server.issuer ?? originName(server.tokenURL);
    throw failure("login", `The sign-in at ${name} has ended: log in again (invalid_grant)`);
  });
  // A server that does not rotate refresh tokens returns none.
  return { refreshToken: old.refreshToken!, ...(old.scope ? { scope: old.scope } : {}), ...made };
}

async function requested(server: AuthorizationServer, options: ClientOptions, wanted: Record<string, string>): Promise<Tokens> {
  const receivedAt = Date.now();
  const headers = new Headers();
  const form = new URLSearchParams({ ...options.parameters, ...wanted });
  authenticate(server, options, form, headers);
  const [status, answer] = await asked(secure(server.tokenURL), options.fetch, { method: "POST", headers, body: form });
  if (status >= 400 || "error" in answer) {
    throw refusal(answer, status, server.tokenURL, [...Object.values(wanted), options.clientSecret ?? ""]);
  }
  return { ...tokensOf(answer, receivedAt), tokenURL: server.tokenURL };
}

function authenticate(server: AuthorizationServer, { clientId, clientSecret }: ClientOptions, form: URLSearchParams, headers: Headers): void {
  const methods = server.authMethods ?? [];
  const isPost = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
  if (clientSecret && !isPost) {
    headers.set("Authorization", basicCredentials(formText(clientId), formText(clientSecret)));
    return;
  }
  form.set("client_id", clientId);
  if (clientSecret) form.set("client_secret", clientSecret);
}

function tokensOf(answer: Answer, receivedAt: number): Tokens {
  const kind = answer["token_type"] ?? "Bearer";
  if (typeof kind !== "string" || kind.toLowerCase() !== "bearer") {
    throw failure("oauth2", "The authorization server returned a token that is no bearer token");
  }
  const seconds = secondsOf(answer["expires_in"]);
  const refreshToken = answer["refresh_token"] == null ? null : secretOf(answer, "refresh_token");
  return {
    accessToken: secretOf(answer, "access_token"),
    receivedAt,
    ...(refreshToken === null ? {} : { refreshToken }),
    ...(seconds === null ? {} : { expiresAt: receivedAt + seconds * 1000 }),
    ...(typeof answer["scope"] === "string" ? { scope: answer["scope"] } : {}),
  };
}

function secretOf(answer: Answer, name: string): string {
  const value = answer[name];
  if (typeof value === "string" && /^[\x20-\x7e]+$/.test(value) && value.length <= LONGEST_TOKEN) return value;
  throw failure("oauth2", `The response of the authorization server has no usable ${name}`);
}

/** Return a duration, which some servers send as text; null if there is no valid one. */
function secondsOf(value: unknown): number | null {
  const isText = typeof value === "string" && value.trim() !== "";
  const seconds = typeof value === "number" || isText ? Number(value) : NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, LONGEST_LIFE) : null;
}

type Answer = Readonly<Record<string, unknown>>;

/** Send a request of ours, which follows no redirect, and return the status and the JSON object of the response. */
async function asked(url: string, send: typeof fetch = fetch, init: RequestInit = {}): Promise<[status: number, answer: Answer]> {
  const place = withoutQuery(url);
  const headers = new Headers(init.headers);
  headers.set("Accept", "application/json");
  let response: Response;
  let content: Uint8Array;
  try {
    response = await send(url, { ...init, headers, credentials: "omit", redirect: "manual", signal: AbortSignal.timeout(TIMEOUT) });
    content = await readAll(response.body, LIMIT, url);
  } catch (cause) {
    if (cause instanceof LintelError) throw cause;
    const code = (cause as Error)?.name === "TimeoutError" ? "timeout" : "network";
    throw new LintelError(code, `The request to ${place} failed`, { cause });
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw failure("oauth2", `${place} redirects, which is not followed where tokens are obtained`);
  }
  const answer = parsed(content);
  if (!answer && response.status < 400) throw failure("oauth2", `${place} did not answer with a JSON object`);
  return [response.status, answer ?? {}];
}

function parsed(content: Uint8Array): Answer | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Answer) : null;
  } catch {
    return null;
  }
}

/** Return the error for a refusal (RFC 6749, 5.2), without the secrets that were sent. */
function refusal(answer: Answer, status: number, url: string, secrets: readonly string[]): LintelError {
  const text = (name: string): string => {
    const value = answer[name];
    const long = secrets.filter((secret) => secret.length > 7);
    const hidden = long.reduce((shown, secret) => shown.replaceAll(secret, "***"), typeof value === "string" ? value : "");
    return hidden.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd").slice(0, 300);
  };
  const [code, about] = [text("error"), text("error_description")];
  const said = [code || `status ${status}`, about].filter(Boolean).join(": ");
  return failure("oauth2", `${withoutQuery(url)} gave no token (${said})`, { error: code });
}

function failure(code: ErrorCode, message: string, content: unknown = null): LintelError {
  return new LintelError(code, message, { content, messages: {} });
}

function checkOptions({ server, parameters = {}, trustedHosts = [] }: ClientOptions): void {
  const own = Object.keys(parameters).find((name) => OWN_PARAMETERS.includes(name));
  if (own) throw new TypeError(`The parameter ${own} belongs to the protocol and cannot be set`);
  for (const host of trustedHosts) new Domain(host);
  secure(typeof server === "string" ? server : server.tokenURL);
}

/** Return a URL that secrets may be sent to: https, or on this machine. */
function secure(url: string): string {
  const { scheme, host } = originOf(url);
  const isLoopback = host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
  if (scheme === "https" || (scheme === "http" && isLoopback)) return url;
  throw failure("oauth2", `${url} must be https: what is sent there is secret`);
}

function isDue({ expiresAt, receivedAt }: Tokens): boolean {
  if (expiresAt === undefined) return false;
  return Date.now() >= expiresAt - Math.min(EARLY, (expiresAt - (receivedAt ?? 0)) / 4);
}

function isOver({ expiresAt }: Tokens): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

function scopeOf({ scopes = [] }: ClientOptions): { scope?: string } {
  return scopes.length ? { scope: scopes.join(" ") } : {};
}

function formText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

function originName(url: string): string {
  return new URL(url).origin;
}

function urlOf({ scheme, host, port }: Origin): string {
  return `${scheme}://${host}:${port}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

function randomText(): string {
  return base64URL(crypto.getRandomValues(new Uint8Array(48)));
}

function base64URL(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

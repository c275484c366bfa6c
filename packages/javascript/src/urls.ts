import { LintelError } from "./errors.js";

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s;
const AUTHORITY = /^[^\s\x00-\x1f<>"{}|^`%,;/?#\\]+$/;

/** The URL of the page, the base of last resort; empty outside of browsers. */
export function pageAddress(): string {
  const found: unknown = (globalThis as { location?: { href?: unknown } }).location?.href;
  return typeof found === "string" && /^https?:/.test(found) ? found : "";
}

/**
 * Return `url`, which may be a template, resolved against `base` (RFC 3986, section 5); an empty one is
 * `base` itself.
 */
export function resolve(base: string, url: string): string {
  if (!url) return base;
  const target = PARTS.exec(url);
  const home = PARTS.exec(base);
  if (!target || !home || target[1] || !home[1]) return url;
  const scheme = `${home[1]}:`;
  if (target[2] !== undefined) return scheme + url;
  const origin = home[2] === undefined ? scheme : `${scheme}//${home[2]}`;
  const query = (target[4] ?? (target[3] ? "" : (home[4] ?? ""))) + (target[5] ?? "");
  return origin + withoutDots(joined(home[2], home[3]!, target[3]!)) + query;
}

function joined(authority: string | undefined, base: string, path: string): string {
  if (!path) return base;
  if (path.startsWith("/")) return path;
  return authority !== undefined && !base ? `/${path}` : base.slice(0, base.lastIndexOf("/") + 1) + path;
}

/** Remove "." and ".." from a path (RFC 3986, section 5.2.4). */
function withoutDots(path: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === ".." && kept.length > 1) kept.pop();
    else if (segment !== "." && segment !== "..") kept.push(segment);
  }
  const ending = /(^|\/)\.\.?$/.test(path) ? "/" : "";
  return kept.join("/") + ending;
}

/** Return `url` as a document at `base` writes it: empty for itself, path and query on its own origin. */
export function relative(base: string, url: string): string {
  if (url === base) return "";
  const origin = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/.exec(base)?.[0];
  const path = origin && url.startsWith(origin) ? url.slice(origin.length) : "";
  return /^\/(?!\/)/.test(path) && !path.includes("/.") ? path : url;
}

export function withoutFragment(url: string): string {
  return url.split("#", 1)[0]!;
}

/** Return a URL for use in messages, without its query, which may hold secrets. */
export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

/**
 * Return the parts of an absolute URL. Throws a LintelError with the code "network" for a URL that is not
 * absolute, that contains a user name, or whose host parsers could read differently.
 */
export function checkedURL(url: string): URL {
  if (/[\x00-\x1f\x7f\\]/.test(url)) refuse(`The URL ${JSON.stringify(url)} contains a backslash or a control character`);
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1];
  if (!authority) return refuse(`The URL ${JSON.stringify(url)} must be absolute, such as https://example.org/`);
  if (authority.includes("@")) refuse("A URL must not contain a user name or password: use credentials instead");
  try {
    if (AUTHORITY.test(authority)) return new URL(url);
  } catch {
    // Reported below, as for other hosts.
  }
  return refuse(`The URL ${JSON.stringify(url)} has a host that is not valid`);
}

function refuse(message: string): never {
  throw new LintelError("network", message);
}

import { originOf } from "./origins.js";

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
  readonly secure: boolean;
}

/** More cookies than any service sets; later ones are dropped. */
const MOST = 100;

/** The cookies of services outside of a browser. Each is sent only to the host that set it (RFC 6265). */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** Return the Cookie header for a URL, longer paths first; empty without cookies. */
  header(url: string): string {
    const { scheme, host } = originOf(url);
    const { pathname } = new URL(url);
    return [...this.#cookies.values()]
      .filter((cookie) => cookie.host === host && isBelow(pathname, cookie.path))
      .filter((cookie) => scheme === "https" || !cookie.secure)
      .sort((left, right) => right.path.length - left.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  /** Store the cookies that a response sets, and delete those that it expires. */
  store(url: string, headers: Headers): void {
    for (const line of headers.getSetCookie?.() ?? []) this.#storeLine(url, line);
  }

  #storeLine(url: string, line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    if (at < 1) return;
    const found = new Map(attributes.map((text) => attribute(text)));
    const path = found.get("path") ?? "";
    const cookie: Cookie = {
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      host: originOf(url).host,
      path: path.startsWith("/") ? path : folderOf(new URL(url).pathname),
      secure: found.has("secure"),
    };
    const key = JSON.stringify([cookie.host, cookie.path, cookie.name]);
    this.#cookies.delete(key);
    if (!hasEnded(found) && this.#cookies.size < MOST) this.#cookies.set(key, cookie);
  }
}

function attribute(text: string): [string, string] {
  const [name = "", ...value] = text.split("=");
  return [name.trim().toLowerCase(), value.join("=").trim()];
}

function hasEnded(attributes: ReadonlyMap<string, string>): boolean {
  const age = attributes.get("max-age");
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(attributes.get("expires") ?? "") <= Date.now();
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

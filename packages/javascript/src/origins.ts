import { checkedURL } from "./urls.js";

const DOMAIN = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/@[\]*?#\\]+)(?::(\d{1,5}))?$/;
const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Scheme, host and port of a URL, with the port filled in (RFC 6454). */
export interface Origin {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
}

export function originOf(url: string): Origin {
  const { protocol, hostname, port } = checkedURL(url);
  return { scheme: protocol.slice(0, -1), host: hostname.replace(/\.$/, ""), port: port || (PORTS[protocol] ?? "") };
}

/** Whether `target` may see data of `home`: the same origin, or its upgrade to https. */
export function sameHome(target: Origin, home: Origin): boolean {
  const isSame = target.scheme === home.scheme && target.port === home.port;
  const isUpgrade = target.scheme === "https" && target.port === "443" && home.scheme === "http" && home.port === "80";
  return target.host === home.host && (isSame || isUpgrade);
}

/**
 * The hosts that credentials or headers are bound to: "example.org" is this host on any port,
 * "example.org:8000" only this port, "*.example.org" all subdomains but not example.org itself, "*" every host.
 */
export class Domain {
  readonly #host: string;
  readonly #port: string | undefined;
  readonly #below: boolean;

  constructor(text: string) {
    this.#below = text === "*" || text.startsWith("*.");
    const found = text === "*" ? ["", ""] : DOMAIN.exec(this.#below ? text.slice(2) : text);
    if (!found || Number(found[2] ?? 0) > 65535) {
      throw new TypeError(
        `${JSON.stringify(text)} is not a domain: give a host such as example.org, example.org:8000 or *.example.org`,
      );
    }
    this.#host = found[1] ? originOf(`http://${found[1]}/`).host : "";
    this.#port = found[2];
  }

  /** Whether the origin's host, and the port if one is given, belong to the domain. */
  matches(origin: Origin): boolean {
    if (this.#port !== undefined && this.#port !== origin.port) return false;
    if (!this.#below) return origin.host === this.#host;
    // An IP address has no subdomains.
    return !this.#host || (origin.host.endsWith(`.${this.#host}`) && !/\d$/.test(origin.host));
  }
}

/** Whether something bound to `domain` (null: to the request's home) may be sent with a request. */
export function mayGo(domain: Domain | null, url: string, home: string): boolean {
  const target = originOf(url);
  const start = originOf(home || url);
  if (!domain) return sameHome(target, start);
  return domain.matches(target) && (target.scheme === "https" || start.scheme !== "https");
}

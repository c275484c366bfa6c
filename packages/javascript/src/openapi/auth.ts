import { Auth, type Proof, basicCredentials } from "../auth.js";
import { LintelError } from "../errors.js";
import type { Link, SecurityRequirement, SecurityScheme } from "../link.js";
import type { OutgoingRequest } from "../request/building.js";
import { checkedHeader } from "../request/headers.js";
import { cookieText } from "../request/plain.js";
import { quoted } from "../templates.js";

/** A key or token; for HTTP Basic "name:password". */
export type Credentials = Readonly<Record<string, string>>;

/**
 * Authenticates with the security schemes of the description, by their names.
 *
 * Of the alternatives that an operation names, the first with all credentials available is used. Throws
 * a LintelError if there is none and the operation does not accept anonymous callers.
 */
export class SchemeAuthentication extends Auth {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials, domain?: string) {
    super(domain);
    this.#credentials = credentials;
  }

  credentials(request: OutgoingRequest, link?: Link): Proof {
    const chosen = this.#chosen(link?.security ?? []);
    return chosen.map((scheme) => this.#proof(scheme)).reduce((proof, next) => combined(proof, next, request), {} as Proof);
  }

  #chosen(alternatives: readonly SecurityRequirement[]): SecurityRequirement {
    const possible = alternatives.filter((schemes) => schemes.every(({ name }) => Object.hasOwn(this.#credentials, name)));
    const found = possible.find((schemes) => schemes.length) ?? possible[0];
    if (found || !alternatives.length) return found ?? [];
    const names = alternatives.map((schemes) => schemes.map(({ name }) => name).join(" and ")).join(", or ");
    throw new LintelError("parameter", `This operation needs credentials: ${names}`);
  }

  #proof(scheme: SecurityScheme): Part {
    const secret = this.#credentials[scheme.name]!;
    if (scheme.type === "apiKey") return [scheme.in ?? "header", scheme.parameter ?? "", secret];
    const at = secret.indexOf(":");
    const isBasic = scheme.type === "http" && scheme.scheme === "basic";
    if (isBasic) return ["header", "Authorization", basicCredentials(secret.slice(0, at), secret.slice(at + 1))];
    const word = scheme.type === "http" && scheme.scheme !== "bearer" ? scheme.scheme : "Bearer";
    return ["header", "Authorization", `${word} ${secret}`];
  }
}

type Part = readonly [place: string, name: string, value: string];

function combined(proof: Proof, [place, name, value]: Part, request: OutgoingRequest): Proof {
  if (place === "query") return { ...proof, url: withQuery(proof.url ?? request.url, name, value) };
  const headers = proof.headers ?? [];
  if (place !== "cookie") return { ...proof, headers: [...headers, checkedProof(name, value)] };
  const others = headers.find(([other]) => other === "Cookie")?.[1] ?? request.headers.get("Cookie");
  const cookies = [others, `${name}=${cookieText(value)}`].filter(Boolean).join("; ");
  return { ...proof, headers: [...headers.filter(([other]) => other !== "Cookie"), ["Cookie", cookies]] };
}

function checkedProof(name: string, value: string): [string, string] {
  try {
    return checkedHeader(name, value);
  } catch (error) {
    throw new LintelError("parameter", `These credentials cannot be sent: ${(error as TypeError).message}`);
  }
}

function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${quoted(name)}=${quoted(value)}`;
}

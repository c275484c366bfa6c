import { type Proof, SessionAuthentication as PageSession, isSafe, pageCookies } from "./auth.js";
import { CookieJar } from "./cookies.js";
import { mayGo } from "./origins.js";
import type { OutgoingRequest } from "./request/building.js";

/** Authenticates with cookies: in a page the browser's, elsewhere those that the service set. */
export class SessionAuthentication extends PageSession {
  readonly #jar = new CookieJar();

  override credentials(request: OutgoingRequest): Proof {
    if (pageCookies() !== null) return super.credentials(request);
    const stored = this.#jar.header(request.url);
    if (!stored) return {};
    const sent = [stored, request.headers.get("Cookie")].filter(Boolean).join("; ");
    return { headers: [["Cookie", sent], ...this.csrf(request, stored), ...referer(request)] };
  }

  override observe(request: OutgoingRequest, response: Response): void {
    if (mayGo(this.domain, request.url, request.home)) this.#jar.store(request.url, response.headers);
  }
}

/** Over https such servers check the origin of a change; pages send it by themselves. */
function referer(request: OutgoingRequest): [string, string][] {
  return isSafe(request) || !request.url.startsWith("https:") ? [] : [["Referer", new URL("/", request.url).href]];
}

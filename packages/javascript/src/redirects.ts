import { LintelError } from "./errors.js";
import { originOf, sameHome } from "./origins.js";
import type { OutgoingRequest } from "./request/building.js";
import { resolve, withoutFragment } from "./urls.js";

/** The only request headers that another host may see. */
export const PUBLIC_HEADERS = ["accept", "user-agent", "content-type", "content-disposition"];
const BODY_HEADERS = ["content-type", "content-disposition"];

/**
 * Return the request to send next, null when the response is the final one (RFC 9110, section 15.4).
 *
 * 303 turns every request into GET, 301 and 302 do so with POST, as browsers do. Headers other than
 * PUBLIC_HEADERS are not sent to other origins.
 */
export function redirected(request: OutgoingRequest, response: Response): OutgoingRequest | null {
  const location = response.headers.get("Location");
  if (![301, 302, 303, 307, 308].includes(response.status) || !location) return null;
  const url = withoutFragment(resolve(request.url, location));
  const target = originOf(url);
  if (!["http", "https"].includes(target.scheme)) {
    throw new LintelError("redirect", `The server redirects to ${target.scheme}, which is not followed`);
  }
  const staysHome = sameHome(target, originOf(request.url));
  const headers = staysHome ? request.headers : kept(request.headers, (name) => PUBLIC_HEADERS.includes(name));
  const following = { ...request, url, headers };
  return becomesGet(request.method, response.status) ? asGet(following) : following;
}

function becomesGet(method: string, status: number): boolean {
  return status === 303 ? method !== "HEAD" : [301, 302].includes(status) && method === "POST";
}

function asGet(request: OutgoingRequest): OutgoingRequest {
  const headers = kept(request.headers, (name) => !BODY_HEADERS.includes(name));
  return { ...request, method: "GET", body: null, headers };
}

export function kept(headers: Headers, wanted: (name: string) => boolean): Headers {
  return new Headers([...headers].filter(([name]) => wanted(name)));
}

import type { Auth } from "./auth.js";
import { LintelError } from "./errors.js";
import type { Link } from "./link.js";
import { redirected } from "./redirects.js";
import { noteRefusal } from "./refusals.js";
import type { OutgoingRequest } from "./request/building.js";
import { withoutQuery } from "./urls.js";

const MAX_REDIRECTS = 20;

export type Send = (request: OutgoingRequest) => Promise<Response>;
export type Answer = readonly [response: Response, url: string];

/** Return a request with authentication added if its target may see it. */
export function authenticated(request: OutgoingRequest, auth: Auth | null, link?: Link): OutgoingRequest {
  const proof = auth?.proof(request, link) ?? {};
  const headers = new Headers(request.headers);
  for (const [name, value] of proof.headers ?? []) headers.set(name, value);
  const credentials = proof.credentials ?? "omit";
  return { ...request, headers, credentials, url: proof.url ?? request.url };
}

/** Send the requests of one call, deciding on credentials anew for each; return the last response and its URL. */
export async function exchange(request: OutgoingRequest, auth: Auth | null, send: Send, link?: Link): Promise<Answer> {
  let next = request;
  let mayRenew = true;
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    await auth?.ready?.(next);
    const sent = authenticated(next, auth, link);
    const response = await send(sent);
    auth?.observe(sent, response);
    if (sent.url !== next.url || String([...sent.headers]) !== String([...next.headers])) noteRefusal(sent, response);
    const isNew = response.status === 401 && mayRenew && (await auth?.renew?.(sent));
    if (isNew) mayRenew = false;
    const following = isNew ? next : redirected(next, response);
    if (!following) return [response, response.redirected ? response.url : next.url];
    await response.body?.cancel();
    next = following;
  }
  throw new LintelError("redirect", `More than ${MAX_REDIRECTS} redirects, the last one to ${withoutQuery(next.url)}`);
}

import type { OutgoingRequest } from "./request/building.js";

/** What to say of responses with status 401 whose requests carried credentials. */
const refused = new WeakMap<Response, string>();

/** Note that a response with status 401 refuses the credentials of its request. */
export function noteRefusal(sent: OutgoingRequest, response: Response): void {
  if (response.status !== 401) return;
  refused.set(response, `The credentials for ${new URL(sent.url).host} were refused`);
}

/** Return a sentence about the credentials that a response refuses, "" without any. */
export function refusalOf(response: Response): string {
  return refused.get(response) ?? "";
}

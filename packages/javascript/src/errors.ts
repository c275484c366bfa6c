import { shown } from "./controls.js";
import { messagesOf } from "./messages.js";

/** Headers in which services send the id of a request in their logs. */
const REQUEST_IDS = ["X-Request-ID", "Request-ID", "X-Correlation-ID", "X-GitHub-Request-Id", "X-Amzn-RequestId"];

/** The kind of error, for branching. */
export type ErrorCode =
  | "parameter"
  | "lookup"
  | "network"
  | "timeout"
  | "aborted"
  | "redirect"
  | "parse"
  | "encode"
  | "encoding"
  | "codec"
  | "oauth2"
  | "login"
  | "response";

export interface ErrorDetails {
  status?: number;
  headers?: Headers;
  content?: unknown;
  messages?: Record<string, string[]>;
  url?: string;
  cause?: unknown;
}

/**
 * The only error class of this library. `code` names the kind of error.
 *
 * With "response" the server sent an error: `status`, `headers` and `url` are those of the response, `content` is
 * its decoded body. `messages` lists the messages by parameter, also with "parameter".
 */
export class LintelError extends Error {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly headers: Headers;
  readonly content: unknown;
  readonly messages: Readonly<Record<string, readonly string[]>>;
  readonly url: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // Programs print it: what the server sent must neither act on their terminals nor fill them.
    super(shown(message), { cause: details.cause });
    // The platform's own name, so that code written for fetch recognises an aborted call.
    this.name = code === "aborted" ? "AbortError" : "LintelError";
    this.code = code;
    this.status = details.status ?? null;
    this.headers = details.headers ?? new Headers();
    this.content = details.content ?? null;
    this.messages = details.messages ?? messagesOf(this.content);
    this.url = details.url ?? "";
  }

  /** The seconds to wait that the server asks for, from seconds or a date; null if it does not say. */
  get retryAfter(): number | null {
    return secondsToWait(this.headers.get("Retry-After"));
  }

  /** The id of the request in the logs of the service, from X-Request-ID and its relatives; null without one. */
  get requestId(): string | null {
    return REQUEST_IDS.map((name) => this.headers.get(name)).find(Boolean) ?? null;
  }
}

/** Return the seconds of a Retry-After header (RFC 9110, 10.2.3); null without a valid one. */
export function secondsToWait(header: string | null): number | null {
  if (/^\d{1,9}$/.test(header ?? "")) return Number(header);
  // Dates begin with the name of a day.
  const seconds = /^[A-Za-z]{3}/.test(header ?? "") ? (Date.parse(header!) - Date.now()) / 1000 : NaN;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

import { messagesOf } from "./messages.js";

/** What went wrong: a short word to branch on. */
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
 * The one error of this library. `code` says what went wrong.
 *
 * With "response" the server refused: `status`, `headers`, `url` are those of the answer, `content` is
 * what it held. `messages` lists what is wrong by the name of the parameter, with "parameter" too.
 */
export class LintelError extends Error {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly headers: Headers;
  readonly content: unknown;
  readonly messages: Readonly<Record<string, readonly string[]>>;
  readonly url: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    // The platform's own name, so that code written for fetch sees that it was the caller who stopped.
    this.name = code === "aborted" ? "AbortError" : "LintelError";
    this.code = code;
    this.status = details.status ?? null;
    this.headers = details.headers ?? new Headers();
    this.content = details.content ?? null;
    this.messages = details.messages ?? messagesOf(this.content);
    this.url = details.url ?? "";
  }

  /** The seconds that the server asks to wait, from seconds or a date; null when it does not say. */
  get retryAfter(): number | null {
    return secondsToWait(this.headers.get("Retry-After"));
  }
}

/** The seconds that a Retry-After header asks for (RFC 9110, 10.2.3); null when it does not say. */
export function secondsToWait(header: string | null): number | null {
  if (/^\d{1,9}$/.test(header ?? "")) return Number(header);
  // Dates begin with the name of a day.
  const seconds = /^[A-Za-z]{3}/.test(header ?? "") ? (Date.parse(header!) - Date.now()) / 1000 : NaN;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}

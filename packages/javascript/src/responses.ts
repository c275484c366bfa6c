import type { Codec, DecodingOptions } from "./codec.js";
import { shown } from "./controls.js";
import { DocumentError, DocumentNode } from "./document.js";
import { Download } from "./download.js";
import { LintelError } from "./errors.js";
import { extras } from "./extras.js";
import { failure } from "./failures.js";
import { chooseDecoder } from "./negotiation.js";
import { type OnProgress, observed, readAll } from "./reading.js";
import { refusalOf } from "./refusals.js";
import { textOf } from "./text.js";
import { withoutQuery } from "./urls.js";

/** The maximum kept of an error page that is not machine-readable. */
const LONGEST_ERROR = 1_000_000;
/** Marks a response without content; callers get null. */
export const NO_CONTENT = Symbol("no content");

export interface ReadingResponse {
  readonly decoders: readonly Codec[];
  readonly limit: number;
  readonly url: string;
  readonly bigint: boolean;
  readonly forced?: Codec | undefined;
  /** Whether plain JSON may be a description. */
  readonly findsDocuments?: boolean;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Return the content of a response, NO_CONTENT for an empty body, a Download if no codec reads it.
 *
 * Throws a LintelError: "response" for a status of 400 or more and for an error document, "parse" for content
 * that cannot be read, "network" for more than `limit` bytes.
 */
export async function decodeResponse(response: Response, how: ReadingResponse): Promise<unknown> {
  if (response.status >= 400) throw await refusal(response, how);
  const decoder = how.forced ?? chooseDecoder(how.decoders, typeOf(response));
  const body = observed(response, how.onProgress);
  if (!decoder) return download(response, body, how);
  const content = await read(body, how);
  if (!content.length) return NO_CONTENT;
  const result = readable(decoder, content, response, how);
  if (result instanceof DocumentError) throw error(response, how, result.toJSON(), result.title);
  return result;
}

/** Decode a response, naming its URL if that fails. */
function readable(decoder: Codec, content: Uint8Array, response: Response, how: ReadingResponse): unknown {
  try {
    return decoded(decoder, content, response, how);
  } catch (cause) {
    if (!(cause instanceof LintelError) || cause.code !== "parse") throw cause;
    throw new LintelError("parse", `The response from ${withoutQuery(how.url)} cannot be read. ${cause.message}`, { cause });
  }
}

function decoded(decoder: Codec, content: Uint8Array, response: Response, how: ReadingResponse): unknown {
  const options: DecodingOptions = { baseUrl: how.url, contentType: typeOf(response), bigint: how.bigint };
  const result = decoder.decode(content, options);
  if (!how.findsDocuments || decoder.readsDocuments) return result;
  const reader = how.decoders.find((codec) => codec.recognizes?.(result));
  return reader?.fromData?.(result, options) ?? result;
}

/** Return NO_CONTENT for a download without a body, known from the first chunk. */
async function download(response: Response, body: ReadableStream<Uint8Array> | null, how: ReadingResponse): Promise<unknown> {
  const isEmpty = response.status === 204 || response.headers.get("Content-Length") === "0";
  if (!body || isEmpty) return NO_CONTENT;
  return new Download(response, body, how.url);
}

async function refusal(response: Response, how: ReadingResponse): Promise<LintelError> {
  const content = await read(response.body, how);
  const found = content.length ? errorContent(content, response, how) : null;
  if (found instanceof DocumentError) return error(response, how, found.toJSON(), found.title);
  return error(response, how, found instanceof DocumentNode ? found.toJSON() : found);
}

/** Read an error's body; it is text if its codec fails or would make it a download. */
function errorContent(content: Uint8Array, response: Response, how: ReadingResponse): unknown {
  try {
    const decoder = chooseDecoder(how.decoders, typeOf(response));
    if (decoder && !isHtml(response)) return decoder.decode(content, { baseUrl: how.url, contentType: typeOf(response), bigint: how.bigint });
  } catch {
    // Unreadable content is shown as text.
  }
  const text = textOf(content.subarray(0, LONGEST_ERROR), typeOf(response));
  return isHtml(response) ? extras.pageText(text) : text;
}

function isHtml(response: Response): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(typeOf(response));
}

function error(response: Response, how: ReadingResponse, content: unknown, title = ""): LintelError {
  const { status, statusText, headers } = response;
  const found = new LintelError("response", "", { status, headers, content, url: how.url });
  const first = title || `${status} ${statusText}`.trim();
  const lines = Object.entries(found.messages).flatMap(([name, texts]) => texts.map((text) => `${name}: ${text}`));
  const refused = refusalOf(response);
  found.message = shown([first, ...lines, ...(refused ? [refused] : [])].join("\n"));
  return found;
}

async function read(body: ReadableStream<Uint8Array> | null, how: ReadingResponse): Promise<Uint8Array> {
  try {
    return await readAll(body, how.limit, how.url);
  } catch (cause) {
    throw failure(cause, `The response from ${withoutQuery(how.url)} was interrupted`);
  }
}

function typeOf(response: Response): string {
  return response.headers.get("Content-Type") ?? "";
}

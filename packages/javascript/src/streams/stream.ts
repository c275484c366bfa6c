import { JSONCodec } from "../codecs/data.js";
import { LintelError } from "../errors.js";
import type { Answer } from "../exchange.js";
import { failure } from "../failures.js";
import type { EventTypes } from "../link.js";
import type { OutgoingRequest } from "../request/building.js";
import { pause } from "../retries.js";
import { mediaTypeOf } from "../text.js";
import { withoutQuery } from "../urls.js";
import { EventParser, type Parser, isJSON } from "./events.js";
import { type StreamFormat, formatOf } from "./kinds.js";
import { LineParser, SequenceParser } from "./texts.js";

export type { StreamFormat } from "./kinds.js";

/** How a stream is read. */
export interface StreamReading {
  /** The format, if the media type of the response does not name it. */
  format?: StreamFormat;
  /** The most bytes of one item; 16 MiB by default. */
  maxItem?: number;
  /** False ends events that are read with GET when their connection ends. */
  reconnect?: boolean;
  /** The id from which to continue an earlier stream. */
  lastEventId?: string;
  signal?: AbortSignal;
}

/** What to send, how, and what is known of the items. */
export interface StreamSource {
  readonly request: OutgoingRequest;
  readonly events: EventTypes | null;
  readonly bigint: boolean;
  send(request: OutgoingRequest): Promise<Answer>;
}

export const ACCEPT_STREAMS = "text/event-stream, application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.1";

const OVERLOADED = [429, 502, 503, 504];
const LONGEST = 300;
const MAX_FAILURES = 10;

/** The items of one stream, over all its connections. */
export class Reception {
  readonly #source: StreamSource;
  readonly #how: StreamReading;
  #parser: Parser | null = null;
  #broken: LintelError | null = null;
  #failures = 0;
  #retry = 3;
  #lastId: string;

  constructor(source: StreamSource, how: StreamReading) {
    this.#source = source;
    this.#how = how;
    this.#lastId = how.lastEventId ?? "";
  }

  /** Yield the items as they arrive. Ending the iteration closes the connection. */
  async *items(): AsyncGenerator<any, void, void> {
    do {
      const answer = await this.#opened();
      if (answer === "ended") return;
      if (answer) yield* this.#received(answer);
    } while (await this.#resumes());
  }

  /** Return a response to read; nothing if the connection failed, "ended" if there is no more. */
  async #opened(): Promise<Answer | null | "ended"> {
    this.#failures++;
    this.#broken = null;
    try {
      const answer = await this.#source.send(asking(this.#source.request, this.#lastId));
      if (!answer[0].body || [204, 205].includes(answer[0].status)) return "ended";
      this.#parser = await this.#parserOf(answer);
      return answer;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      this.#broken = error;
      return null;
    }
  }

  async *#received([response, url]: Answer): AsyncGenerator<any, void, void> {
    const reader = response.body!.getReader();
    try {
      for (let chunk = await this.#read(reader, url); chunk; chunk = await this.#read(reader, url)) {
        this.#failures = 0;
        yield* this.#parser!.feed(chunk);
        this.#note();
      }
      if (!this.#broken) yield* this.#parser!.end();
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  /** Return what arrives next; null at the end, and where the connection broke. */
  async #read(reader: ReadableStreamDefaultReader<Uint8Array>, url: string): Promise<Uint8Array | null> {
    try {
      return (await reader.read()).value ?? null;
    } catch (cause) {
      this.#broken = failure(cause, `The stream from ${withoutQuery(url)} was interrupted`, this.#how.signal);
      return null;
    }
  }

  #note(): void {
    if (!(this.#parser instanceof EventParser)) return;
    this.#lastId = this.#parser.lastId;
    this.#retry = this.#parser.retry ?? this.#retry;
  }

  /** Wait, and return whether to open the stream again. Throws what broke the connection if it is not. */
  async #resumes(): Promise<boolean> {
    const { request } = this.#source;
    const repeats = this.#parser instanceof EventParser && request.method === "GET" && this.#how.reconnect !== false;
    const asked = this.#broken?.retryAfter ?? 0;
    const givesUp = this.#failures >= MAX_FAILURES || asked > LONGEST || this.#broken?.code === "aborted";
    if (this.#broken && (!repeats || givesUp)) throw this.#broken;
    if (!repeats) return false;
    if (givesUp) throw new LintelError("network", `The stream at ${withoutQuery(request.url)} ended ${MAX_FAILURES} times with nothing`);
    await pause(Math.max(asked, waiting(this.#retry, this.#failures)), this.#how.signal);
    return true;
  }

  async #parserOf([response, url]: Answer): Promise<Parser> {
    const type = mediaTypeOf(response.headers.get("Content-Type") ?? "");
    const { format = formatOf(type), maxItem = 16 * 1024 * 1024 } = this.#how;
    const { bigint, events } = this.#source;
    const decode = (content: Uint8Array | string): unknown => new JSONCodec().decode(content, { bigint });
    if (format === "ndjson") return new LineParser(decode, maxItem);
    if (format === "json-seq") return new SequenceParser(decode, maxItem);
    if (format === "sse") return new EventParser((event, data) => (isJSON(events, event, data) ? decode(data) : data), maxItem, this.#lastId);
    await response.body?.cancel();
    throw new LintelError("parse", `The response from ${withoutQuery(url)} is not a stream but ${type || "of no media type"}: call the operation as an action, or name its format (sse, ndjson, json-seq)`);
  }
}

function asking(request: OutgoingRequest, lastId: string): OutgoingRequest {
  const headers = new Headers(request.headers);
  // Headers are bytes, ids UTF-8; one with control characters cannot be sent.
  if (lastId && !/[\x00-\x08\x0a-\x1f\x7f]/.test(lastId)) headers.set("Last-Event-ID", Array.from(new TextEncoder().encode(lastId), (byte) => String.fromCharCode(byte)).join(""));
  return { ...request, headers };
}

/** Return the seconds to wait, longer after each connection that brought nothing. */
function waiting(retry: number, failures: number): number {
  const seconds = Math.min(Math.max(retry, 0.1) * 2 ** failures, LONGEST);
  return failures ? seconds * (0.5 + Math.random() / 2) : seconds;
}

function isTemporary(error: unknown): error is LintelError {
  if (!(error instanceof LintelError)) return false;
  return error.code === "network" || error.code === "timeout" || OVERLOADED.includes(error.status ?? 0);
}

import type { EventTypes } from "../link.js";
import { Pieces, checkSize } from "./pieces.js";

/** A server-sent event: its data, its type ("message" by default), and the latest id of the stream. */
export interface StreamEvent<Data = any> {
  readonly data: Data;
  readonly event: string;
  readonly id: string;
}

/** Reads items from chunks of bytes. */
export interface Parser {
  feed(chunk: Uint8Array): Generator<unknown, void, void>;
  /** Yield what is left when the response has ended. */
  end(): Generator<unknown, void, void>;
}

/** Reads server-sent events (HTML Standard, 9.2). */
export class EventParser implements Parser {
  /** The id to send when the stream is opened again. */
  lastId: string;
  /** The seconds to wait before that, if the stream has said so. */
  retry: number | null = null;
  readonly #decode: (event: string, data: string) => unknown;
  readonly #limit: number;
  readonly #lines: Pieces;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #isFirst = true;
  #id: string;
  #data: string[] = [];
  #event = "";
  #size = 0;

  constructor(decode: (event: string, data: string) => unknown, limit: number, lastId: string) {
    this.#decode = decode;
    this.#limit = limit;
    this.#lines = new Pieces([10, 13], limit);
    this.lastId = this.#id = lastId;
  }

  *feed(chunk: Uint8Array): Generator<StreamEvent, void, void> {
    for (const bytes of this.#lines.feed(chunk)) {
      const line = this.#decoder.decode(bytes);
      const read = this.#isFirst ? line.replace(/^\ufeff/, "") : line;
      this.#isFirst = false;
      if (read) this.#read(read, bytes.length);
      else yield* this.#dispatched();
    }
  }

  /** Yield nothing: an event without its empty line is incomplete. */
  *end(): Generator<StreamEvent, void, void> {}

  #read(line: string, size: number): void {
    const [, name, value] = /^([^:]*):? ?([^]*)$/.exec(line)!;
    if (name === "data") {
      this.#size += size - (line.length - value!.length) + 1;
      checkSize(this.#size, this.#limit);
      this.#data.push(value!);
    } else if (name === "event") this.#event = value!;
    else if (name === "id" && !value!.includes("\0")) this.#id = value!;
    else if (name === "retry" && /^[0-9]+$/.test(value!)) this.retry = Number(value) / 1000;
  }

  *#dispatched(): Generator<StreamEvent, void, void> {
    this.lastId = this.#id;
    const [data, event] = [this.#data, this.#event || "message"];
    [this.#data, this.#event, this.#size] = [[], "", 0];
    if (data.length) yield { data: this.#decode(event, data.join("\n")), event, id: this.lastId };
  }
}

/** Return whether the data of an event of this type is described as JSON. */
export function isJSON(types: EventTypes | null, event: string, data: string): boolean {
  if (!types) return false;
  const isListed = types.json.includes(event) || (types.json.includes("") && !types.text.includes(event));
  return isListed && !types.constants.includes(data);
}

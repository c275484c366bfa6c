import { LintelError } from "../errors.js";
import type { Parser } from "./events.js";
import { Pieces } from "./pieces.js";

const SPACE = [9, 10, 13, 32];
/** The first bytes of texts that end by themselves: `{`, `[` and `"`. */
const DELIMITED = [0x7b, 0x5b, 0x22];
/** How often a text is read before the mark of the next one says that it is complete. */
const MAX_TRIES = 8;

type Decode = (content: Uint8Array) => unknown;

/** Reads one JSON value per line (NDJSON, JSON Lines); empty lines count for nothing. */
export class LineParser implements Parser {
  readonly #decode: Decode;
  readonly #lines: Pieces;

  constructor(decode: Decode, limit: number) {
    this.#decode = decode;
    this.#lines = new Pieces([10], limit);
  }

  *feed(chunk: Uint8Array): Generator<unknown, void, void> {
    for (const line of this.#lines.feed(chunk)) if (isText(line)) yield this.#decode(line);
  }

  *end(): Generator<unknown, void, void> {
    const line = this.#lines.rest();
    if (isText(line)) yield this.#decode(line);
  }
}

/** Reads JSON text sequences (RFC 7464): each text stands between a record separator and a line break. */
export class SequenceParser implements Parser {
  readonly #decode: Decode;
  readonly #texts: Pieces;
  #tries = 0;

  constructor(decode: Decode, limit: number) {
    this.#decode = decode;
    this.#texts = new Pieces([0x1e], limit);
  }

  *feed(chunk: Uint8Array): Generator<unknown, void, void> {
    for (const text of this.#texts.feed(chunk)) {
      this.#tries = 0;
      yield* this.#values(text);
    }
    if (chunk.at(-1) === 10) yield* this.#arrived();
  }

  *end(): Generator<unknown, void, void> {
    yield* this.#values(this.#texts.rest());
  }

  /** Yield a text that is complete with its line break, before the next one begins. */
  #arrived(): unknown[] {
    if (this.#tries++ >= MAX_TRIES) return [];
    try {
      const values = [...this.#values(this.#texts.peek())];
      this.#texts.rest();
      return values;
    } catch {
      // The line break was one within the text.
      return [];
    }
  }

  *#values(text: Uint8Array): Generator<unknown, void, void> {
    const first = text.find((byte) => !SPACE.includes(byte));
    if (first === undefined) return;
    // 1 may be the beginning of 12 (RFC 7464, 2.4).
    const isCut = !DELIMITED.includes(first) && !SPACE.includes(text.at(-1)!);
    if (isCut) throw new LintelError("parse", "The last item of the stream is cut off");
    yield this.#decode(text);
  }
}

function isText(content: Uint8Array): boolean {
  return content.some((byte) => !SPACE.includes(byte));
}

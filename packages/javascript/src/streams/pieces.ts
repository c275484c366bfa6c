import { LintelError } from "../errors.js";

const CR = 13;
const LF = 10;

/** Splits the bytes of a stream at separators of one byte, wherever its chunks end; holds only the last, incomplete piece. */
export class Pieces {
  readonly #separators: readonly number[];
  readonly #limit: number;
  #begun: Uint8Array[] = [];
  #size = 0;
  #isAfterReturn = false;

  /** With CR and LF as separators, CRLF is one; `limit` is in bytes. */
  constructor(separators: readonly number[], limit: number) {
    this.#separators = separators;
    this.#limit = limit;
  }

  /** Yield the pieces that a chunk completes, without their separators. Throws a LintelError ("network") for one beyond the limit. */
  *feed(chunk: Uint8Array): Generator<Uint8Array, void, void> {
    let start = 0;
    for (const [at, byte] of chunk.entries()) {
      const isSecond = this.#isAfterReturn && byte === LF;
      this.#isAfterReturn = byte === CR && this.#separators.includes(CR);
      if (isSecond) start = at + 1;
      else if (this.#separators.includes(byte)) {
        this.#keep(chunk.subarray(start, at));
        start = at + 1;
        yield this.rest();
      }
    }
    this.#keep(chunk.subarray(start));
  }

  /** Return the incomplete piece, and forget it. */
  rest(): Uint8Array {
    const whole = this.peek();
    this.#begun = [];
    this.#size = 0;
    return whole;
  }

  /** Return the incomplete piece, and keep it. */
  peek(): Uint8Array {
    if (this.#begun.length === 1) return this.#begun[0]!;
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#begun) {
      whole.set(part, at);
      at += part.length;
    }
    this.#begun = [whole];
    return whole;
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length;
    checkSize(this.#size, this.#limit);
    if (part.length) this.#begun.push(part.slice());
  }
}

export function checkSize(size: number, limit: number): void {
  if (size > limit) throw new LintelError("network", `An item of the stream is larger than ${limit} bytes (maxItem)`);
}

import { LintelError } from "./errors.js";

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS: readonly [string, null | boolean][] = [
  ["true", true],
  ["false", false],
  ["null", null],
];
/** Deeper texts are refused: reading recurses. */
const MAX_DEPTH = 500;
/** Reading a number takes more than linear time, so the number of its digits is limited. */
const MAX_DIGITS = 4300;

export interface ReadingOptions {
  /** Integers beyond 2^53 become BigInt instead of losing digits. */
  bigint?: boolean;
  /** Objects become Maps, which keep the order of all keys. */
  maps?: boolean;
}

/** Read JSON text. Throws a LintelError with the code "parse" for what is not JSON. */
export function readJSON(text: string, options: ReadingOptions = {}): unknown {
  if (options.bigint || options.maps) return new Reader(text, options).whole();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LintelError("parse", `Malformed JSON: ${(cause as Error).message}`, { cause });
  }
}

class Reader {
  #at = 0;
  readonly #text: string;
  readonly #options: ReadingOptions;

  constructor(text: string, options: ReadingOptions) {
    this.#text = text;
    this.#options = options;
  }

  whole(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("text after the value");
    return value;
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail("nested too deeply");
    this.#space();
    const start = this.#text[this.#at];
    if (start === "{") return this.#object(depth);
    if (start === "[") return this.#array(depth);
    return start === '"' ? this.#string() : this.#word();
  }

  #object(depth: number): unknown {
    const found = new Map<string, unknown>();
    this.#items("}", () => {
      if (this.#text[this.#at] !== '"') this.#fail("a key is missing");
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at++] !== ":") this.#fail("a colon is missing");
      found.set(key, this.#value(depth + 1));
    });
    return this.#options.maps ? found : Object.fromEntries(found);
  }

  #array(depth: number): unknown[] {
    const found: unknown[] = [];
    this.#items("]", () => found.push(this.#value(depth + 1)));
    return found;
  }

  #items(end: string, readItem: () => void): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === end) return void this.#at++;
    for (;;) {
      this.#space();
      readItem();
      this.#space();
      const mark = this.#text[this.#at++];
      if (mark === end) return;
      if (mark !== ",") this.#fail("a comma is missing");
    }
  }

  #string(): string {
    const start = this.#at;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) this.#fail("a text does not end");
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    return readJSON(this.#text.slice(start, end + 1)) as string;
  }

  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#text[before - 1] === "\\") before--;
    return (at - before) % 2 === 1;
  }

  #word(): unknown {
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text);
    if (!found) return this.#fail("a value is missing");
    this.#at += found[0].length;
    return this.#number(found[0], found[1] === undefined && found[2] === undefined);
  }

  #number(digits: string, isInteger: boolean): number | bigint {
    const number = Number(digits);
    if (isInteger && this.#options.bigint && !Number.isSafeInteger(number)) {
      if (digits.length > MAX_DIGITS) this.#fail("a number is too long");
      return BigInt(digits);
    }
    if (!Number.isFinite(number)) this.#fail("a number is too large");
    return number;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #fail(reason: string): never {
    throw new LintelError("parse", `Malformed JSON: ${reason} (character ${this.#at})`);
  }
}

/**
 * Write a value as compact JSON, BigInt as digits.
 *
 * Throws a TypeError for what JSON cannot hold: files, NaN, functions, half of a surrogate pair.
 */
export function writeJSON(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError("This value is nested too deeply.");
  if (typeof value === "string") return JSON.stringify(checkedText(value));
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return finite(value);
  if (isFile(value)) throw new TypeError("A file cannot travel in JSON: this link takes no upload.");
  if (Array.isArray(value)) return `[${value.map((item) => writeJSON(item ?? null, depth + 1)).join()}]`;
  const replacement = (value as { toJSON?: unknown } | undefined)?.toJSON;
  if (typeof replacement === "function") return writeJSON(replacement.call(value), depth + 1);
  return writeObject(value, depth);
}

function writeObject(value: unknown, depth: number): string {
  if (!(value instanceof Map) && !isObject(value)) {
    throw new TypeError(`A value of type ${kindOf(value)} cannot travel in JSON.`);
  }
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(checkedText(key))}:${writeJSON(inner, depth + 1)}`)
    .join()}}`;
}

function finite(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON value.`);
  return JSON.stringify(value);
}

/** Return the text. Throws a TypeError for half of a surrogate pair, which has no UTF-8 form. */
export function checkedText(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError("This text has no UTF-8 form.");
  return text;
}

/** Whether a value is an upload: a Blob, a File or bytes. */
export function isFile(value: unknown): value is Blob | ArrayBuffer | ArrayBufferView {
  return value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function kindOf(value: unknown): string {
  return typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value;
}

import { LintelError } from "./errors.js";

/** Matches a string, a literal, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
/** Matches a string, an empty object or list, or a character that is none of a value. */
const PUNCTUATION = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\}|\[\]|[{}[\],:]/gs;
/** Deeper nesting is rejected: reading recurses. */
const MAX_DEPTH = 500;
/** Reading a number takes more than linear time, so the number of its digits is limited. */
const MAX_DIGITS = 4300;

export interface ReadingOptions {
  /** Integers beyond 2^53 become BigInt instead of losing digits. */
  bigint?: boolean;
  /** Objects become Maps, which keep the order of all keys. */
  maps?: boolean;
}

/** Read JSON text. Throws a LintelError with the code "parse" for malformed JSON. */
export function readJSON(text: string, options: ReadingOptions = {}): unknown {
  try {
    if (!options.bigint && !options.maps) return JSON.parse(text);
    return unmarked(JSON.parse(text.replace(TOKEN, (token) => marked(token, options))), options, 0);
  } catch (cause) {
    if (cause instanceof LintelError) throw cause;
    throw new LintelError("parse", `Malformed JSON: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Every string gets a letter in front, so that no key is taken for an array index, which objects would sort, and
 * a number can be represented by a string with another letter.
 */
function marked(token: string, { bigint }: ReadingOptions): string {
  if (token.startsWith('"')) return `"t${token.slice(1)}`;
  if (!bigint || !/^-?(0|[1-9]\d*)$/.test(token) || Number.isSafeInteger(Number(token))) return token;
  if (token.length > MAX_DIGITS) throw new LintelError("parse", "Malformed JSON: a number is too long");
  return `"n${token}"`;
}

function unmarked(value: unknown, options: ReadingOptions, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new LintelError("parse", "Malformed JSON: nested too deeply");
  if (typeof value === "string") return value.startsWith("n") ? BigInt(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map((item) => unmarked(item, options, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (!key.startsWith("t")) throw new LintelError("parse", "Malformed JSON: a key is not a string");
    return [key.slice(1), unmarked(inner, options, depth + 1)] as const;
  });
  return options.maps ? new Map(entries) : Object.fromEntries(entries);
}

/**
 * Write a value as compact JSON, BigInt as digits.
 *
 * Throws a TypeError for values that JSON cannot represent: files, NaN, functions, lone surrogates.
 */
export function writeJSON(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError("This value is nested too deeply.");
  if (typeof value === "string") return JSON.stringify(checkedText(value));
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return finite(value);
  if (isFile(value)) throw new TypeError("A file cannot be sent as JSON. If the service accepts forms, too, choose the encoding multipart/form-data.");
  if (Array.isArray(value)) return `[${value.map((item) => writeJSON(item ?? null, depth + 1)).join()}]`;
  const replacement = (value as { toJSON?: unknown } | undefined)?.toJSON;
  if (typeof replacement === "function") return writeJSON(replacement.call(value), depth + 1);
  return writeObject(value, depth);
}

/** Return compact JSON text with a line for each member and item, indented by 4 spaces. */
export function indented(json: string): string {
  let depth = 0;
  const line = (change: number): string => `\n${" ".repeat(4 * (depth += change))}`;
  return json.replace(PUNCTUATION, (token) => {
    if (token === ":") return ": ";
    if (token === ",") return token + line(0);
    if (token === "{" || token === "[") return token + line(1);
    return token === "}" || token === "]" ? line(-1) + token : token;
  });
}

function writeObject(value: unknown, depth: number): string {
  if (!(value instanceof Map) && !isObject(value)) {
    throw new TypeError(`A value of type ${kindOf(value)} cannot be sent as JSON.`);
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

/** Return the text. Throws a TypeError for lone surrogates, which UTF-8 cannot encode. */
export function checkedText(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError("This text cannot be encoded as UTF-8.");
  return text;
}

/** Whether a value is an upload: a Blob, a File or bytes. */
export function isFile(value: unknown): value is Blob | ArrayBuffer | ArrayBufferView {
  return value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Whether a value is an object but no instance of a class such as Date or Map. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function kindOf(value: unknown): string {
  return typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value;
}

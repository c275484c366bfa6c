/** Objects and lists in multipart forms: names that lead to their values, or a part with all as JSON. */
import { isFile, writeJSON } from "../json.js";
import { entriesOf, scalarText } from "../request/values.js";

/** The extension of an encoding: the part that takes nested values as JSON, or "" for names such as `lines[0].photo`. */
export const NESTED = "x-lintel-nested";

const DEEPEST = 20;
const LEFT_OUT = Symbol("left out");

/** The style of a property in a form whose values are nested: `nested:json` for those in a part `json`. */
const STYLE = /^nested(?::(.+))?$/s;

/** Return the style of a property that its encoding in a description says. */
export function nestedStyle(how: Readonly<Record<string, unknown>>): { style?: string } {
  const document = how[NESTED];
  return typeof document === "string" ? { style: document ? `nested:${document}` : "nested" } : {};
}

/** Return the part with a document that a style names, "" for none; null for other styles. */
export function documentOf(style = ""): string | null {
  const found = STYLE.exec(style);
  return found && (found[1] ?? "");
}

/** Nested values as parts with names of their own. */
export class NestedParts {
  readonly named: Named[];

  constructor(name: string, value: unknown) {
    this.named = nestedTexts(value, [name]);
  }
}

/** Return the parts of the documents of nested values. */
export function documentParts(form: ReadonlyMap<string, unknown>): [string, unknown[]][] {
  const found = new Map<string, string[]>();
  for (const [name, value] of form) {
    if (!(value instanceof NestedValue) || value.json === null) continue;
    found.set(value.document, [...(found.get(value.document) ?? []), `${JSON.stringify(name)}:${value.json}`]);
  }
  return [...found].map(([name, members]) => [name, [{ text: `{${members.join()}}` }]]);
}

type Step = string | number;
type Named = [name: string, value: unknown];

/** A value in the part `document` of a form, as JSON, without the files, which have their own names. */
export class NestedValue {
  /** Null if the value is a file. */
  readonly json: string | null;
  readonly named: Named[] = [];

  constructor(
    readonly document: string,
    name: string,
    value: unknown,
  ) {
    const kept = this.#kept(value, [name]);
    this.json = kept === LEFT_OUT ? null : writeJSON(kept);
  }

  #kept(value: unknown, path: Step[]): unknown {
    if (isFile(value)) {
      this.named.push([nameOf(path), value]);
      return LEFT_OUT;
    }
    if (Array.isArray(value)) {
      checkDepth(path);
      const found = value.map((item, at) => this.#kept(item, [...path, at]));
      const others = found.filter((item) => item !== LEFT_OUT);
      if (others.length && others.length < found.length) throw new TypeError("A list must hold either files or other values.");
      return others;
    }
    const entries = membersOf(value);
    if (!entries) return value;
    checkDepth(path);
    const kept = entries.map(([key, inner]) => [key, this.#kept(inner, [...path, key])] as const);
    return Object.fromEntries(kept.filter(([, item]) => item !== LEFT_OUT));
  }
}

/**
 * Return the names and values, text or files, of a value.
 *
 * A list of plain values is its name repeated, but in a list each item has its own name. Null is an empty text, and an
 * empty list has the name `name[]`.
 */
function nestedTexts(value: unknown, path: Step[]): Named[] {
  if (isFile(value)) return [[nameOf(path), value]];
  const entries = Array.isArray(value) ? null : membersOf(value);
  if (!entries && !Array.isArray(value)) return [[nameOf(path), scalarText(value)]];
  checkDepth(path);
  if (entries) return entries.flatMap(([key, inner]) => nestedTexts(inner, [...path, key]));
  const items = value as unknown[];
  if (!items.length) return [[`${nameOf(path)}[]`, ""]];
  const isDeep = typeof path.at(-1) === "number" || items.some((item) => Array.isArray(item) || (!isFile(item) && entriesOf(item)));
  return items.flatMap((item, at) => nestedTexts(item, isDeep ? [...path, at] : path));
}

function membersOf(value: unknown): [string, unknown][] | null {
  return entriesOf(value)?.map(([key, inner]) => [String(key), inner]) ?? null;
}

function checkDepth(path: Step[]): void {
  if (path.length >= DEEPEST) throw new TypeError(`A form has at most ${DEEPEST} levels.`);
}

/** Return the name of a part. Throws a TypeError for a key that would lead elsewhere. */
function nameOf([first, ...rest]: Step[]): string {
  return first + rest.map(stepOf).join("");
}

function stepOf(step: Step): string {
  if (typeof step === "number") return `[${step}]`;
  if (!step || /[.[\]]/.test(step)) throw new TypeError(`The key ${JSON.stringify(step)} cannot be part of a name in a form.`);
  return `.${step}`;
}

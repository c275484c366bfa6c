/** The controls of a form, built from the schemas of the values. */
import { text } from "./page.js";

export interface Field {
  readonly name: string;
  /** The name for clients: that of several parameters has its place. */
  readonly client_name: string;
  readonly required: boolean;
  readonly location: string;
  readonly type: string;
  readonly type_text: string;
  readonly format: string;
  readonly is_file: boolean;
  readonly description: string;
  readonly choices: readonly unknown[];
  readonly example: unknown;
  readonly facts?: readonly string[];
  readonly kind?: string;
  readonly value_format?: string;
  readonly has_default?: boolean;
  readonly default?: unknown;
  readonly is_list?: boolean;
}

export interface Operation {
  readonly keys: readonly string[];
  readonly title: string;
  readonly path: string;
  readonly method: string;
  /** The media type for files where the first choice holds none; empty otherwise. */
  readonly form_encoding?: string;
  readonly fields: readonly Field[];
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const INPUTS: Record<string, string> = { date: "date", email: "email", uri: "url", url: "url", password: "password" };

/** Return the label, the control and the place for its errors. */
export function labelled(field: Field, at: number): HTMLElement {
  const row = document.createElement("div");
  const label = document.createElement("label");
  const element = control(field);
  const wrong = small("field-error", "");
  const note = small("field-help", [field.description, field.type_text, ...(field.facts ?? [])].filter(Boolean).join(" · "));
  element.id = label.htmlFor = idOf(at);
  element.required = field.required;
  [wrong.id, note.id] = [`docs:wrong-${at}`, `docs:note-${at}`];
  element.setAttribute("aria-describedby", `${wrong.id} ${note.id}`);
  label.className = "field-label";
  label.append(field.client_name, field.required ? small("required", ` ${text("required")}`) : "");
  row.className = "field";
  row.append(label, element, wrong, note);
  return row;
}

export function idOf(at: number): string {
  return `docs:field-${at}`;
}

function small(kind: string, words: string): HTMLElement {
  return Object.assign(document.createElement("small"), { className: kind, textContent: words });
}

function control(field: Field): Control {
  if (field.is_file) return Object.assign(input("file"), { multiple: field.type === "array" });
  if (field.is_list && field.choices.length) return Object.assign(select(field.choices), { multiple: true });
  if (field.choices.length) return select(field.choices);
  if (field.type === "boolean") return select([true, false]);
  if (["object", "array", "anything"].includes(field.type) || ["object", "array"].includes(field.kind ?? "")) return area(field);
  if (field.format === "textarea") return document.createElement("textarea");
  return plain(field);
}

function plain(field: Field): HTMLInputElement {
  const element = field.type === "integer" || field.type === "number" ? input("number") : input(INPUTS[field.value_format ?? ""] ?? "text");
  if (field.type === "number") element.step = "any";
  if (field.has_default && field.default !== null) element.placeholder = String(field.default);
  return element;
}

/** Return an input for JSON, with an example as placeholder. */
function area(field: Field): HTMLTextAreaElement {
  const element = document.createElement("textarea");
  element.spellcheck = false;
  element.placeholder = JSON.stringify(field.example, null, 2);
  element.rows = Math.min(12, element.placeholder.split("\n").length + 1);
  return element;
}

function input(type: string): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type });
}

function select(choices: readonly unknown[]): HTMLSelectElement {
  const element = document.createElement("select");
  element.add(new Option("", ""));
  for (const each of choices) element.add(new Option(String(each), JSON.stringify(each)));
  return element;
}

/** Return the value of a control in the schema's type; undefined for an empty one. */
export function valueOf(field: Field, element: Control): unknown {
  if (element instanceof HTMLInputElement && field.is_file) return files(element);
  if (element instanceof HTMLSelectElement && element.multiple) return several(element);
  if (element.value === "") return undefined;
  if (element instanceof HTMLSelectElement) return JSON.parse(element.value);
  if (field.type === "string" && !["object", "array"].includes(field.kind ?? "")) return element.value;
  if (field.type === "integer" && /^-?\d{16,}$/.test(element.value)) return BigInt(element.value);
  try {
    return JSON.parse(element.value);
  } catch {
    // Text that is not JSON is sent as text; the service decides whether it is valid.
    return element.value;
  }
}

function files(element: HTMLInputElement): File | File[] | undefined {
  const chosen = [...(element.files ?? [])];
  return chosen.length ? (element.multiple ? chosen : chosen[0]) : undefined;
}

function several(element: HTMLSelectElement): unknown[] | undefined {
  const chosen = [...element.selectedOptions].filter(({ value }) => value).map(({ value }) => JSON.parse(value));
  return chosen.length ? chosen : undefined;
}

export function controlAt(at: number): Control {
  return document.getElementById(idOf(at)) as Control;
}

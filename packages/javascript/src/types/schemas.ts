import { isPlain } from "../document.js";
import type { Schema } from "../link.js";

const NAMES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
  array: "unknown[]",
  object: "Record<string, unknown>",
};
const MAX_DEPTH = 30;

/** Writes schemas as TypeScript types; schemas referenced by name become types of that name. */
export class TypeWriter {
  readonly #root: Schema;
  readonly #names = new Map<string, string>();
  readonly #declared = new Map<string, string>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** The declarations of all named types that were used, sorted by name. */
  declarations(): string[] {
    const sorted = [...this.#declared].sort(([left], [right]) => (left < right ? -1 : 1));
    return sorted.map(([name, type]) => `export type ${name} = ${type};`);
  }

  /** Return the type of a schema; `unknown` for null and for schemas without a type. */
  type(schema: unknown, depth = 0): string {
    if (!isPlain(schema) || depth > MAX_DEPTH) return "unknown";
    const type = this.#plain(schema, depth + 1);
    return schema["nullable"] === true && type !== "unknown" ? union([type, "null"]) : type;
  }

  #plain(schema: Schema, depth: number): string {
    const { $ref, enum: values, allOf, oneOf, anyOf, type } = schema;
    if (typeof $ref === "string") return this.#named($ref, depth);
    if ("const" in schema) return literal(schema["const"]);
    if (Array.isArray(values) && values.length) return union(values.map(literal));
    if (Array.isArray(allOf)) return this.#intersection(schema, allOf, depth);
    const choices = oneOf ?? anyOf;
    if (Array.isArray(choices)) return union(choices.map((choice) => this.type(choice, depth)));
    if (Array.isArray(type)) return union(type.map((each) => this.#plain({ ...schema, type: each }, depth)));
    return this.#single(schema, depth);
  }

  #single(schema: Schema, depth: number): string {
    const { type, items, properties, additionalProperties } = schema;
    if (type === "string" && (schema["format"] === "binary" || schema["contentMediaType"])) return "Blob | ArrayBuffer | ArrayBufferView";
    if (items !== undefined && (type === "array" || type === undefined)) return `${grouped(this.type(items, depth))}[]`;
    if (isPlain(properties)) return this.#object(schema, properties, depth);
    if (isPlain(additionalProperties)) return `Record<string, ${this.type(additionalProperties, depth)}>`;
    return NAMES[String(type)] ?? "unknown";
  }

  #object(schema: Schema, properties: Schema, depth: number): string {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const members = Object.entries(properties).map(([name, inner]) => member(name, required.includes(name), this.type(inner, depth)));
    return members.length ? `{ ${members.join("; ")} }` : "Record<string, unknown>";
  }

  #intersection(schema: Schema, parts: readonly unknown[], depth: number): string {
    const { allOf, ...own } = schema;
    void allOf;
    const types = [...parts.map((part) => this.type(part, depth)), this.type(own, depth)];
    const known = [...new Set(types)].filter((type) => type !== "unknown" && type !== "Record<string, unknown>");
    return known.length > 1 ? known.map(grouped).join(" & ") : (known[0] ?? "unknown");
  }

  #named(reference: string, depth: number): string {
    const known = this.#names.get(reference);
    if (known) return known;
    const schema = pointed(this.#root, reference);
    if (schema === undefined) return "unknown";
    const name = this.#free(identifier(reference.split("/").pop() ?? ""));
    this.#names.set(reference, name);
    // Declared before it is written, because a schema may refer to itself.
    this.#declared.set(name, "unknown");
    this.#declared.set(name, this.type(schema, depth > MAX_DEPTH ? MAX_DEPTH : 0));
    return name;
  }

  #free(name: string): string {
    let free = name;
    for (let number = 2; this.#declared.has(free) || RESERVED.includes(free); number++) free = `${name}${number}`;
    return free;
  }
}

const RESERVED = ["ApiClient", "Client", "Document", "ActionOptions", "Record", "Promise", "Blob", "ArrayBuffer", "ArrayBufferView", "AsyncGenerator", "StreamEvent", "StreamOptions"];

/** A member of an object type. */
export function member(name: string, isRequired: boolean, type: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${key}${isRequired ? "" : "?"}: ${type}`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types.flatMap((type) => type))];
  return distinct.includes("unknown") || !distinct.length ? "unknown" : distinct.join(" | ");
}

function grouped(type: string): string {
  return / [|&] /.test(type) && !/^\{.*\}$/.test(type) ? `(${type})` : type;
}

function literal(value: unknown): string {
  return value === null || ["string", "number", "boolean"].includes(typeof value) ? JSON.stringify(value) : "unknown";
}

/** Return a name in PascalCase. */
export function identifier(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  return /^\p{L}/u.test(name) ? name : `Type${name}`;
}

function pointed(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  const steps = reference.slice(2).split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  return steps.reduce<unknown>((node, step) => (isPlain(node) && Object.hasOwn(node, step) ? node[step] : undefined), root);
}

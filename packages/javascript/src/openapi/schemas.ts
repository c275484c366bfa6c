import { type Description, type Node, list, mapping, reached } from "./nodes.js";

const MAX_DEPTH = 64;
/** Keywords whose values are data, in which "$ref" is a member like any other. */
const DATA = ["const", "default", "enum", "example", "examples"];
/** Keywords whose values are objects with names as keys. */
const NAMING = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** Copies schemas, and everything they refer to in a description once, as definitions. */
export class SchemaWriter {
  readonly definitions: Record<string, unknown> = {};
  readonly #description: Description;
  readonly #names = new Map<string, string>();
  readonly #waiting: [name: string, schema: Node][] = [];

  constructor(root: Node) {
    this.#description = { root, url: "", isOld: "swagger" in root, issues: [] };
  }

  write(schema: Node): unknown {
    const written = this.#copied(schema, 0, false);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) this.definitions[next[0]] = this.#copied(next[1], 0, false);
    return written;
  }

  #copied(node: unknown, depth: number, isNames: boolean): unknown {
    if (depth > MAX_DEPTH) return {};
    if (Array.isArray(node)) return list(node).map((item) => this.#copied(item, depth + 1, false));
    if (typeof node !== "object" || node === null) return node;
    const members = mapping(node);
    const reference = members["$ref"];
    if (!isNames && typeof reference === "string") return { ...members, $ref: this.#reference(reference) };
    const copied = Object.entries(members).map(([key, value]) => {
      const isData = !isNames && DATA.includes(key);
      return [key, isData ? value : this.#copied(value, depth + 1, !isNames && NAMING.includes(key))];
    });
    return Object.fromEntries(copied);
  }

  #reference(reference: string): string {
    let name = this.#names.get(reference);
    if (name === undefined) {
      name = this.#free(reference);
      this.#names.set(reference, name);
      this.#waiting.push([name, reached(this.#description, { $ref: reference })]);
    }
    return `#/components/schemas/${name}`;
  }

  #free(reference: string): string {
    const base = reference.slice(reference.lastIndexOf("/") + 1).replace(/[^A-Za-z0-9._-]+/g, "_") || "schema";
    const taken = new Set(this.#names.values());
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
    return name;
  }
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { HALCodec } from "../src/codecs/hal.js";
import { HyperSchemaCodec } from "../src/codecs/hyperschema.js";
import { type Document, DocumentNode, Link, OpenAPICodec } from "../src/index.js";
import { isSafe, readsSafe } from "../src/methods.js";

interface Case {
  readonly id: string;
  readonly format: keyof typeof CODECS;
  readonly description: unknown;
  readonly keys: Readonly<Record<string, string>>;
}

const CODECS = { openapi: OpenAPICodec, hal: HALCodec, jsonhyperschema: HyperSchemaCodec };
/** The case files shared with the Python codecs. */
const CASES: Case[] = data("safe_keys");

function data(name: string): never[] {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`../../../tests/data/${name}.json`, import.meta.url)), "utf8")).cases;
}

function read(format: keyof typeof CODECS, description: unknown): Document {
  return new CODECS[format]().decode(JSON.stringify(description));
}

function links(node: DocumentNode, above: string[] = []): [string[], Link][] {
  return [...node].flatMap(([key, value]): [string[], Link][] => {
    if (value instanceof Link) return [[[...above, key], value]];
    return value instanceof DocumentNode ? links(value, [...above, key]) : [];
  });
}

/** Return the items of a list in the order that a seed gives; 0 keeps it. */
function reordered<Item>(items: readonly Item[], seed: number): Item[] {
  const ranks = items.map((_, at) => (seed ? Math.sin((at + 1) * seed * 7.13) : at));
  return items.map((_, at) => at).sort((left, right) => ranks[left]! - ranks[right]!).map((at) => items[at]!);
}

function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item, seed));
    return items.every((item) => typeof item === "string") ? items : reordered(items, seed);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(reordered(Object.entries(value), seed).map(([key, inner]) => [key, shuffled(inner, seed)]));
}

function checkNames(document: Document): void {
  for (const [keys, link] of links(document)) {
    if (!isSafe(link.action) && !readsSafe(link.operationId)) expect(readsSafe(keys.at(-1)!), `${keys} ${link.action}`).toBe(false);
  }
}

test.each(CASES.map((given) => [given.id, given] as const))("keys in every language and order: %s", (_id, given) => {
  for (const seed of [0, 1, 2, 3, 4, 5]) {
    const found = links(read(given.format, shuffled(given.description, seed)));
    expect(Object.fromEntries(found.map(([keys, link]) => [keys.join(" "), `${link.action} ${link.url}`]))).toEqual(given.keys);
  }
});

test.each([0, 1, 2])("no write of the descriptions of the tests has a name of reading, in order %i", (seed) => {
  for (const { doc } of [...data("client_cases"), ...data("neighbour_cases")] as { doc: unknown }[]) checkNames(read("openapi", shuffled(doc, seed)));
});

test("no relation makes a write look like reading", () => {
  const relations = ["self", "list", "order", "x:get", "getAll", "", "read_2", "instances", "delete_list"];
  const methods = ["DELETE", "PURGE", "GET", "QUERY", "POST", "PATCH"];
  const described = relations.flatMap((rel) => methods.flatMap((method) => ["", "List"].map((title) => ({ rel, method, title, href: "https://a.example/x" }))));
  const keysOf = (seed: number): string[] => {
    const document = read("jsonhyperschema", shuffled({ links: described }, seed));
    checkNames(document);
    return links(document).map(([keys, { action, title }]) => [keys, action, title].join(" ")).sort();
  };
  expect(keysOf(0).length).toBe(described.length);
  for (const seed of [1, 2, 3, 4]) expect(keysOf(seed)).toEqual(keysOf(0));
});

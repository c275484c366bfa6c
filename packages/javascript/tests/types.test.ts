import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { Document, Field, Link } from "../src/index.js";
import { typescriptTypes } from "../src/types/declarations.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const DATA = `${PACKAGE}../../tests/data/`;
/** Inside the package, so that "lintel-client" resolves as it does for users. */
const FOLDER = `${PACKAGE}build/types/`;

const USE = `
import { Client, type Document } from "lintel-client";
import type { ApiClient, Order } from "./api.js";

export async function use(document: Document): Promise<Order> {
  const client: ApiClient = new Client();
  const orders = await client.action(document, ["orders", "list"], { status: "open", "page-size": 3 });
  const items: string[] = orders[0]!.items;
  await client.action(document, ["orders", "list"]);
  await client.action(document, ["orders", "create"], { body: { items } });
  const nothing: null = await client.action(document, ["orders", "destroy"], { id: 1 });
  await client.action(document, ["orders", "picture"], { id: 1, body: new Blob([]) });
  const pong: "pong" = await client.action(document, ["ping"]);
  for await (const item of (client as Client).pages(document, ["orders", "list"])) void item;
  void [nothing, pong];
  for await (const { data } of client.stream(document, ["orders", "log"], { since: "today" })) void (data.items satisfies string[]);
  for await (const { data } of client.stream(document, ["orders", "lines"])) void data.trim();
  for await (const person of client.stream(document, ["orders", "export"], {}, { maxItem: 10 })) void person.name.trim();
  // @ts-expect-error: a person is no event
  for await (const person of client.stream(document, ["orders", "export"])) void person.data;
  // @ts-expect-error: that is no stream
  for await (const item of client.stream(document, ["orders", "list"])) void item;
  // @ts-expect-error: there is no such status
  await client.action(document, ["orders", "list"], { status: "lost" });
  // @ts-expect-error: a name is wrong
  await client.action(document, ["orders", "list"], { stat: "open" });
  // @ts-expect-error: the id is missing
  await client.action(document, ["orders", "destroy"]);
  // @ts-expect-error: there is no such operation
  await client.action(document, ["orders", "delete"], { id: 1 });
  // @ts-expect-error: the result is no text
  const text: string = await client.action(document, ["orders", "list"]);
  return client.action(document, ["orders", "create"], { items, note: text });
}
`;

beforeAll(() => void mkdirSync(FOLDER, { recursive: true }));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function lintelClient(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["bin/lintel-client.js", ...args], { cwd: PACKAGE, encoding: "utf8" });
}

function compile(): string {
  const options = ["--ignoreConfig", "--strict", "--noEmit", "--module", "NodeNext", "--target", "ES2022", "--lib", "ES2022,DOM,DOM.AsyncIterable", "--types", "node"];
  try {
    return execFileSync(process.execPath, [`${PACKAGE}node_modules/typescript/bin/tsc`, ...options, "use.ts"], { cwd: FOLDER, encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test("the types of a description equal the golden file, which is shared with other clients", () => {
  expect(lintelClient("types", `${DATA}client_types.json`).stdout).toBe(readFileSync(`${DATA}client_types.d.ts`, "utf8"));
});

test("calls are checked by the compiler", () => {
  writeFileSync(`${FOLDER}api.d.ts`, readFileSync(`${DATA}client_types.d.ts`));
  writeFileSync(`${FOLDER}use.ts`, USE);
  expect(compile()).toBe("");
});

test("the types of a running service compile", () => {
  const { status, stderr } = lintelClient("types", inject("service"), "--output", `${FOLDER}api.d.ts`);
  expect([status, stderr]).toEqual([0, ""]);
  writeFileSync(
    `${FOLDER}use.ts`,
    `import { Client, type Document } from "lintel-client";
import type { ApiClient } from "./api.js";
export async function use(document: Document): Promise<void> {
  const client: ApiClient = new Client();
  await client.action(document, ["snippets", "create"], { code: "1", title: "x" });
  // @ts-expect-error: the code is missing
  await client.action(document, ["snippets", "create"], { title: "x" });
}`,
  );
  expect(compile()).toBe("");
});

test("errors are reported in one line", () => {
  expect(lintelClient("types")).toMatchObject({ status: 2 });
  expect(lintelClient("types", "/nowhere.json").stderr).toMatch(/^ENOENT.*\n$/);
  expect(lintelClient("types", `${inject("service")}nowhere/`).stderr).toMatch(/^404 Not Found/);
});

test("a value to write and its query have names of their own", () => {
  const fields = [new Field({ name: "status", location: "query", schema: { type: "number" } }), new Field({ name: "status", location: "form", schema: { type: "string" } })];
  const typed = typescriptTypes(new Document({}, { change: new Link({ url: "/b", action: "patch", fields }) }));
  expect(typed).toContain('params?: { "query.status"?: number; status?: string }');
});

test("nothing in types acts on a terminal or turns code", () => {
  const acting = "\x9b\x7f\u202e\u2066\x1b\x85";
  const content = new Map([[`k${acting}`, new Link({ url: "https://x.org/", title: `t${acting}` })]]);
  const types = typescriptTypes(new Document({ title: `d${acting}` }, content));
  expect(types).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  expect(types).toContain('"k\\u009b\\u007f\\u202e\\u2066\\u001b\\u0085"');
});

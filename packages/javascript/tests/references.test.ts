import { readFileSync } from "node:fs";
import { type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";

import { type Document, Link, OpenAPICodec } from "../src/index.js";
import { type ReferenceOptions, followReferences } from "../src/openapi/references.js";

const HOME = "https://a.example/api/";
const ROOT = { openapi: "3.1.0", paths: { "/pets/{id}": { $ref: "paths/pet.json" } } };
const FILES: Record<string, unknown> = {
  [`${HOME}paths/pet.json`]: { get: { operationId: "pet", parameters: [{ $ref: "../components/id.json#/id" }] } },
  [`${HOME}components/id.json`]: { id: { name: "id", in: "path", description: "Its number.", required: true } },
};

async function followed(files: Record<string, unknown>, options: ReferenceOptions = {}, root: object = ROOT): Promise<[Document, string[]]> {
  const asked: string[] = [];
  const loader = async (url: string): Promise<string> => {
    asked.push(url);
    if (!(url in files)) throw new Error("there is no such file");
    return typeof files[url] === "string" ? (files[url] as string) : JSON.stringify(files[url]);
  };
  const document = new OpenAPICodec().decode(JSON.stringify(root), { baseUrl: `${HOME}openapi.json` });
  return [await followReferences(document, { loader, ...options }), asked];
}

test("a file may refer to any below the folder of the first", async () => {
  const counts: number[] = [];
  const [document, asked] = await followed(FILES, { onFile: (count) => counts.push(count) });
  expect(asked).toEqual(Object.keys(FILES));
  expect(counts).toEqual([1, 2]);
  expect(document.issues).toEqual([]);
  expect((document.get("pet") as Link).fields[0]!.description).toBe("Its number.");
});

test("other formats are read by the function that reads them", async () => {
  const files = { ...FILES, [`${HOME}components/id.json`]: "id: yaml" };
  const parse = (text: string) => ({ id: { name: text.slice(4), in: "query" } });
  const [document] = await followed(files, { parse });
  expect((document.get("pet") as Link).fields.map(({ name }) => name)).toContain("yaml");
});

test.each(["../../secret.json", "%2e%2e/%2e%2e/secret.json", "..%2f..%2fsecret.json", "/secret.json", "//b.example/api/p.json", "http://a.example/api/p.json", "file:///etc/passwd"])(
  "nothing leads out of the folder: %s",
  async (reference) => {
    const pet = { get: { operationId: "pet", parameters: [{ $ref: `${reference}#/id` }] } };
    const [document, asked] = await followed({ [`${HOME}paths/pet.json`]: pet });
    expect(asked).toEqual([`${HOME}paths/pet.json`]);
    expect(document.issues.join()).toContain("outside of the folder");
    expect((document.get("pet") as Link).problem).toContain("outside of the folder");
  },
);

test("an origin that is allowed is asked, and files may refer to each other and back", async () => {
  const far = "https://b.example/id.json";
  const pet = { get: { operationId: "pet", parameters: [{ $ref: `${far}#/id` }, { $ref: "../openapi.json#/components/parameters/q" }] } };
  const root = { ...ROOT, components: { parameters: { q: { name: "q", in: "query" } } } };
  const [document, asked] = await followed({ [`${HOME}paths/pet.json`]: pet, [far]: FILES[`${HOME}components/id.json`] }, { origins: ["https://b.example"] }, root);
  expect(asked.at(-1)).toBe(far);
  expect((document.get("pet") as Link).fields.map(({ name }) => name)).toEqual(["id", "q"]);
});

test("a property may be called as a keyword", async () => {
  const schema = { properties: { value: { $ref: "../components/value.json" } } };
  const pet = { get: { operationId: "pet", responses: { 200: { content: { "application/json": { schema } } } } } };
  const [document, asked] = await followed({ [`${HOME}paths/pet.json`]: pet, [`${HOME}components/value.json`]: {} });
  expect(asked.at(-1)).toBe(`${HOME}components/value.json`);
  expect(document.issues).toEqual([]);
});

test("a file that is missing is an issue, asked for once", async () => {
  const [document, asked] = await followed({});
  expect(asked.length).toBe(1);
  expect(document.issues[0]).toContain("there is no such file");
});

interface Case {
  id: string;
  status?: number;
  body?: string;
  location?: string;
  start?: string;
  length?: number;
  endless?: true;
  slow?: true;
  is_followed: boolean;
}

const CASES: Case[] = JSON.parse(readFileSync(new URL("../../../tests/data/reference_cases.json", import.meta.url), "utf8")).cases;
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function hostOf(given: Case): Promise<string> {
  server = createServer(({ url }, response) => (url === "/api/part.json" ? answer(given, response) : response.end(JSON.stringify({ get: { operationId: "part" } }))));
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer({ status, location, length, start, endless, slow, body }: Case, response: ServerResponse): void {
  if (!status) return;
  response.writeHead(status, { ...(location ? { Location: location } : {}), ...(length ? { "Content-Length": length } : {}) });
  if (endless) return flood(response);
  if (slow) return drip(response);
  if (start) response.write(start);
  else response.end(body);
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  while (response.write("0".repeat(65536)));
  response.once("drain", () => flood(response));
}

test.each(CASES.map((each) => [each.id, each] as const))("what a host answers: %s", async (_id, given) => {
  const url = `${await hostOf(given)}/api/openapi.json`;
  const description = { openapi: "3.1.0", paths: { "/part": { $ref: "part.json" } } };
  const document = new OpenAPICodec().decode(JSON.stringify(description), { baseUrl: url });
  const found = await followReferences(document, { timeout: 1000, maxBytes: 1_000_000 });
  expect(found.get("part") instanceof Link).toBe(given.is_followed);
  expect(found.issues.length > 0).toBe(!given.is_followed);
});

test("the time of all files is bounded together, whoever loads them", async () => {
  const [document, asked] = await followed(FILES, { totalTimeout: -1 });
  expect(asked).toEqual([]);
  expect(document.issues.join()).toContain("took more than");
});

test("the size of all files is bounded together, whoever loads them", async () => {
  const [document] = await followed(FILES, { maxBytes: 150 });
  expect(document.issues.join()).toContain("more than 150 bytes together");
});

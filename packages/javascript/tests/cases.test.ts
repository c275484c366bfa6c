import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { Client, type Document, DocumentNode, Link, LintelError, OpenAPICodec, type OutgoingRequest, SchemeAuthentication } from "../src/index.js";

/** The case files shared with the Python client. */
const CASES: Case[] = ["client_cases.json", "neighbour_cases.json"].flatMap((name) => {
  const file = fileURLToPath(new URL(`../../../tests/data/${name}`, import.meta.url));
  return JSON.parse(readFileSync(file, "utf8")).cases;
});

interface Expected {
  url?: string;
  headers?: Record<string, string>;
  no_headers?: string[];
  json?: unknown;
  hex?: string;
  form?: [string, string][] | string;
  body?: string;
  content_type?: string;
  parts?: { name: string; filename?: string; content_type?: string; hex?: string; text?: string; json?: unknown }[];
  refuse?: boolean;
  refuse_or_warn?: boolean;
  refuse_or_degrade?: boolean;
  names?: string[];
  not_parameters?: string[];
  operations?: number;
  distinct_addresses?: number;
}

interface Case {
  id: string;
  doc: object;
  call: { operationId: string; params: Record<string, unknown>; body?: unknown };
  expect: Expected;
  also_accept?: Expected[];
  retrieved_from?: string;
  credentials?: Record<string, string | string[]>;
  server_variables?: Record<string, string>;
}

function decoded(given: Case): Document {
  const codec = new OpenAPICodec({ serverVariables: given.server_variables ?? {} });
  return codec.decode(JSON.stringify(given.doc), { baseUrl: given.retrieved_from ?? "" });
}

function links(node: DocumentNode, above: string[] = []): [string[], Link][] {
  return [...node].flatMap(([key, value]): [string[], Link][] => {
    if (value instanceof Link) return [[[...above, key], value]];
    return value instanceof DocumentNode ? links(value, [...above, key]) : [];
  });
}

function uploaded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uploaded);
  if (typeof value !== "object" || value === null) return value;
  const { $file, bytes } = value as { $file?: string; bytes?: string };
  if ($file !== undefined) return new File([Buffer.from(bytes ?? "", "hex")], $file);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, uploaded(inner)]));
}

function built(given: Case): OutgoingRequest {
  const document = decoded(given);
  const found = links(document).find(([, link]) => link.operationId === given.call.operationId)!;
  const params = uploaded(given.call.params) as Record<string, unknown>;
  if ("body" in given.call) params["body"] = uploaded(given.call.body);
  const secrets = Object.entries(given.credentials ?? {}).map(([name, secret]) => [name, [secret].flat().join(":")]);
  const auth = given.credentials ? new SchemeAuthentication(Object.fromEntries(secrets)) : null;
  return new Client({ auth }).request(document, found[0], params);
}

async function bytesOf({ body }: OutgoingRequest): Promise<Buffer> {
  return Buffer.from(await new Blob(body ? [body] : []).arrayBuffer());
}

async function check(request: OutgoingRequest, expected: Expected): Promise<void> {
  const body = await bytesOf(request);
  if (expected.url !== undefined) expect(request.url).toBe(expected.url);
  for (const [name, value] of Object.entries(expected.headers ?? {})) expect(request.headers.get(name)).toBe(value);
  for (const name of expected.no_headers ?? []) expect(request.headers.has(name)).toBe(false);
  if (expected.content_type) expect(request.headers.get("Content-Type")).toBe(expected.content_type);
  if ("json" in expected) expect(JSON.parse(String(body))).toEqual(expected.json);
  if (expected.hex !== undefined) expect(body.toString("hex")).toBe(expected.hex);
  if (expected.body !== undefined) expect(String(body)).toBe(expected.body);
  if (expected.parts) await checkParts(request, body, expected.parts);
}

async function checkParts(request: OutgoingRequest, body: Buffer, parts: NonNullable<Expected["parts"]>): Promise<void> {
  const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": request.headers.get("Content-Type")! } }).formData();
  const found = [...form].map(([name, value]) => [name, value] as const);
  expect(found.map(([name]) => name)).toEqual(parts.map(({ name }) => name));
  for (const [at, part] of parts.entries()) {
    const value = found[at]![1];
    if (part.filename !== undefined) expect((value as File).name).toBe(part.filename);
    if (part.content_type !== undefined && value instanceof File) expect(value.type).toBe(part.content_type);
    const content = typeof value === "string" ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
    if (part.hex !== undefined) expect(content.toString("hex")).toBe(part.hex);
    if (part.text !== undefined) expect(String(content)).toBe(part.text);
    if ("json" in part) expect(JSON.parse(String(content))).toEqual(part.json);
  }
}

describe("requests that are the same in every client", () => {
  test.each(CASES.map((given) => [given.id, given] as const))("%s", async (_id, given) => {
    const expected = given.expect;
    if (expected.operations !== undefined) return checkAddresses(given);
    if (expected.refuse || expected.refuse_or_warn || expected.refuse_or_degrade) return checkRefusal(given);
    if (expected.not_parameters) {
      const names = links(decoded(given)).flatMap(([, link]) => link.fields.map((field) => field.name));
      expect(names).not.toEqual(expect.arrayContaining(expected.not_parameters));
    }
    const accepted = [expected, ...(given.also_accept ?? [])];
    const request = built(given);
    const failures = await Promise.all(accepted.map((each) => check(request, each).then(() => null, (error: unknown) => error)));
    if (!failures.includes(null)) throw failures[0];
  });
});

function checkRefusal(given: Case): void {
  let refusal: unknown = null;
  try {
    built(given);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(LintelError);
  const names = Object.keys((refusal as LintelError).messages);
  expect(names).toEqual(expect.arrayContaining(given.expect.names ?? []));
}

function checkAddresses(given: Case): void {
  const addresses = links(decoded(given)).map(([keys]) => JSON.stringify(keys));
  expect(addresses.length).toBe(given.expect.operations);
  expect(new Set(addresses).size).toBe(given.expect.distinct_addresses);
  expect(links(decoded(given)).map(([keys]) => JSON.stringify(keys))).toEqual(addresses);
}

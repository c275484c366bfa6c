import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";

import { Client, Document, Field, Link, OpenAPICodec, type OutgoingRequest, type Pagination } from "../src/index.js";
import { Page } from "../src/pages.js";

interface Case {
  readonly id: string;
  readonly fields?: string[];
  readonly operation?: object;
  readonly params: Record<string, unknown>;
  readonly pages: Record<string, any>;
  readonly items: unknown[];
  readonly warns: boolean;
  readonly pagination?: Pagination;
}

const HOST = "https://api.example";
/** The case file shared with the Python client. */
const CASES: [string, Case][] = JSON.parse(readFileSync(fileURLToPath(new URL("../../../tests/data/page_cases.json", import.meta.url)), "utf8")).cases.map((given: Case) => [given.id, given]);

afterEach(() => void vi.restoreAllMocks());

function documentOf({ fields = [], operation }: Case): [Document, string] {
  const tree = { openapi: "3.1.0", paths: { "/l": { get: operation } } };
  if (operation) return [new OpenAPICodec().decode(JSON.stringify(tree), { baseUrl: `${HOST}/` }), "get /l"];
  const link = new Link({ url: "/l", fields: fields.map((name) => new Field({ name, location: "query" })) });
  return [new Document({ url: `${HOST}/` }, new Map([["list", link]])), "list"];
}

test.each(CASES)("%s", async (_id, given) => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const asked: string[] = [];
  const send = async ({ url }: OutgoingRequest): Promise<Response> => {
    asked.push(url.slice(HOST.length));
    const page = given.pages[asked.at(-1)!];
    const { $body = page, ...headers } = Array.isArray(page) ? {} : page;
    return Response.json($body, { headers });
  };
  const client = new Client({ transports: [{ schemes: ["https"], send }] });
  const [document, key] = documentOf(given);
  const items: unknown[] = [];
  const options = given.pagination ? { pagination: given.pagination } : {};
  for await (const item of client.pages(document, [key], given.params, options)) items.push(item);
  expect(items).toEqual(given.items);
  expect(asked).toEqual(Object.keys(given.pages));
  expect(warned.mock.calls.length).toBe(Number(given.warns));
});

/** The Link headers shared with the Python client. */
const HEADERS: { header: string; next: string | null }[] = JSON.parse(readFileSync(fileURLToPath(new URL("../../../tests/data/link_headers.json", import.meta.url)), "utf8")).cases;

const nextOf = (header: string): string | null => new Page([], new Headers({ Link: header })).nextURL(new Link({ url: "/l" }));

test.each(HEADERS.map(({ header, next }) => [header, next] as const))("Link: %s", (header, next) => {
  expect(nextOf(header)).toBe(next);
});

test("long Link headers are read in one pass", () => {
  const spaces = " ".repeat(100_000);
  for (const header of [`<a>;${spaces}x`, `<a>${spaces}`, "<".repeat(100_000), "<a>;".repeat(30_000), `<a>; x="${"\\".repeat(100_000)}`, `<a>, ${"<a>;x=y, ".repeat(20_000)}`]) expect(nextOf(header)).toBeNull();
});

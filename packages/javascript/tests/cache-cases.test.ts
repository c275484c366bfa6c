/** The exchanges of tests/data/cache_cases.json, which every client of the repository reads. */
import { readFileSync } from "node:fs";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { Cache, type CacheStore, type Entry, MemoryStore } from "../src/caching/cache.js";
import { Client, HTTPTransport, TokenAuthentication } from "../src/index.js";
import type { OutgoingRequest } from "../src/request/building.js";

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Step {
  at: number;
  took?: number;
  method: string;
  url: string;
  headers?: Record<string, string>;
  answers: Answer[];
  sent?: Record<string, string | null>[];
  result: { status: number; body: string; headers?: Record<string, string | null> };
}

interface Case {
  id: string;
  steps: Step[];
}

const { start, cases }: { start: number; cases: Case[] } = JSON.parse(readFileSync(new URL("../../../tests/data/cache_cases.json", import.meta.url), "utf8"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A store that outlives the program: its keys are digests, its entries clones. */
class Database implements CacheStore {
  readonly secret = new Uint8Array(32).fill(7);
  readonly entries = new Map<string, string>();

  async get(key: readonly string[]): Promise<Entry | undefined> {
    const text = this.entries.get(key.join("/"));
    if (!text) return undefined;
    const { body, ...entry } = JSON.parse(text);
    return { ...entry, body: new Uint8Array(body) };
  }

  async put(key: readonly string[], entry: Entry): Promise<void> {
    this.entries.set(key.join("/"), JSON.stringify({ ...entry, body: [...entry.body] }));
  }

  async remove(key: readonly string[]): Promise<void> {
    this.entries.delete(key.join("/"));
  }

  async drop(group: string): Promise<void> {
    for (const key of [...this.entries.keys()]) if (key.startsWith(`${group}/`)) this.entries.delete(key);
  }
}

function requestOf({ method, url, headers }: Pick<Step, "method" | "url" | "headers">): OutgoingRequest {
  return { method, url, headers: new Headers(headers), body: null, home: url };
}

async function exchanged(cache: Cache, step: Step): Promise<void> {
  const [answers, sent] = [[...step.answers], [...(step.sent ?? [])]];
  vi.setSystemTime((start + step.at) * 1000);
  const response = await cache.send(requestOf(step), async (request) => {
    const answer = answers.shift();
    expect(answer, `asked for more at ${step.at} s`).toBeDefined();
    for (const [name, value] of Object.entries(sent.shift() ?? {})) expect(request.headers.get(name)).toBe(value);
    vi.setSystemTime((start + step.at + (step.took ?? 0)) * 1000);
    return new Response([204, 304].includes(answer!.status) ? null : answer!.body, answer);
  });
  expect(answers).toEqual([]);
  expect([response.status, await response.text()]).toEqual([step.result.status, step.result.body]);
  for (const [name, value] of Object.entries(step.result.headers ?? {})) expect(response.headers.get(name)).toBe(value);
}

const STORES = { "in memory": () => new MemoryStore(1e6), "in a database": () => new Database() };

describe.each(Object.entries(STORES))("exchanges that are the same in every client, %s", (_name, make) => {
  test.each(cases.map((each) => [each.id, each] as const))("%s", async (_id, { steps }) => {
    const cache = new Cache({ store: make() });
    for (const step of steps) await exchanged(cache, step);
  });
});

const A = "https://api.example.org/a/";
const GET = { method: "GET", url: A };

function answering(...bodies: (string | ReadableStream)[]): [send: () => Promise<Response>, count: () => number] {
  let count = 0;
  const send = async (): Promise<Response> => new Response(bodies[count++], { headers: { "Cache-Control": "max-age=60" } });
  return [send, () => count];
}

test("keys of a database tell nothing about credentials", async () => {
  const store = new Database();
  const [send] = answering("1");
  const cache = new Cache({ store });
  await (await cache.send(requestOf({ method: "GET", url: `${A}?key=s3cret`, headers: { Authorization: "Token s3cret" } }), send)).text();
  expect([...store.entries.keys()].join()).toMatch(/^[0-9a-f]{40}\/[0-9a-f]{40}$/);
  expect([...store.entries.values()].join()).not.toContain("s3cret");
});

test("requests with cookies of the browser are never answered from it", async () => {
  const cache = new Cache();
  const [send, count] = answering("1", "2", "3");
  for (const expected of ["1", "2"]) {
    const request = { ...requestOf(GET), credentials: "include" as const };
    expect(await (await cache.send(request, send)).text()).toBe(expected);
  }
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("3");
  expect(count()).toBe(3);
});

test("a body is passed on as it comes, and kept once it is whole", async () => {
  const cache = new Cache();
  let more: ReadableStreamDefaultController<Uint8Array> | undefined;
  const [send, count] = answering(new ReadableStream({ start: (controller) => void (more = controller) }), "2", "3");
  const response = await cache.send(requestOf(GET), send);
  const reader = response.body!.getReader();
  more!.enqueue(new TextEncoder().encode("one"));
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("one");
  more!.error(new Error("cut off"));
  await expect(reader.read()).rejects.toThrow("cut off");
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("2");
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("2");
  expect(count()).toBe(2);
});

test("a reader that ends early keeps nothing, and the connection ends", async () => {
  const cache = new Cache();
  let isCancelled = false;
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10)), cancel: () => void (isCancelled = true) });
  const [send, count] = answering(endless, "2");
  const response = await cache.send(requestOf(GET), send);
  await response.body!.cancel();
  await vi.waitFor(() => expect(isCancelled).toBe(true));
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("2");
  expect(count()).toBe(2);
});

test("an answer from before a write is not kept", async () => {
  const cache = new Cache();
  const [send, count] = answering("old", "", "new");
  const early = await cache.send(requestOf(GET), send);
  await cache.send(requestOf({ method: "PUT", url: A }), send);
  expect(await early.text()).toBe("old");
  for (let turn = 0; turn < 2; turn++) expect(await (await cache.send(requestOf(GET), send)).text()).toBe("new");
  expect(count()).toBe(3);
});

test("the size is bounded, and what was used last stays", async () => {
  const cache = new Cache({ maxSize: 40_000 });
  let count = 0;
  const read = async (url: string, size = 1000): Promise<void> => {
    const send = async (): Promise<Response> => (count++, new Response("x".repeat(size), { headers: { "Cache-Control": "max-age=60" } }));
    await (await cache.send(requestOf({ method: "GET", url }), send)).text();
  };
  await read(A);
  for (let number = 0; number < 20; number++) {
    await read(`${A}${number}`);
    await read(A);
  }
  expect(count).toBe(21);
  await read(`${A}0`);
  expect(count).toBe(22);
  for (let turn = 0; turn < 2; turn++) await read(`${A}large`, 10_001);
  expect(count).toBe(24);
});

test("a store that fails stops no call", async () => {
  const fail = (): never => {
    throw new Error("the disk is full");
  };
  const cache = new Cache({ store: { secret: null, get: fail, put: fail, remove: fail, drop: async () => fail() } });
  const [send] = answering("1", "", "2");
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("1");
  await cache.send(requestOf({ method: "DELETE", url: A }), send);
  expect(await (await cache.send(requestOf(GET), send)).text()).toBe("2");
});

test("a client asks a real server whether compressed content has changed", async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(request.headers["if-none-match"] === '"1"' ? 304 : 200, { ETag: '"1"', "Content-Type": "application/json", "Content-Encoding": "gzip" });
    response.end(response.statusCode === 304 ? undefined : gzipSync(JSON.stringify({ n: "ü" })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/`;
  const cache = new Cache();
  const clientOf = (token: string): Client => new Client({ auth: new TokenAuthentication({ token }), transports: [new HTTPTransport({ cache })] });
  try {
    for (const token of ["a", "a", "b"]) expect(await clientOf(token).get(url)).toEqual({ n: "ü" });
  } finally {
    server.close();
    server.closeAllConnections();
  }
  expect(seen.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', undefined]);
});

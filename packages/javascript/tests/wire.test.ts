/** This client sends the same bytes as the Python client, where the standard fixes them. */
import { execFileSync } from "node:child_process";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";

import { HALCodec } from "../src/codecs/hal.js";
import { BasicAuthentication, Client, CoreJSONCodec, type Codec, type Document, type DocumentNode, OpenAPICodec, TokenAuthentication } from "../src/index.js";

interface Call {
  keys: string[];
  params?: Record<string, unknown>;
  auth?: Record<string, string>;
}
interface Exchange {
  method: string;
  target: string;
  headers: [string, string][];
  body: string;
}

const TOKEN = { scheme: "Token", token: "0123456789abcdef" };
const BASIC = { username: "zoë", password: "日本:x" };
const FILE = { $file: 'a "ü"\\.png', bytes: "89504e47", type: "image/png" };

/** Operations of the example service. */
const SERVICE_CALLS: Call[] = [
  { keys: ["snippets", "list"] },
  { keys: ["snippets", "list"], params: { page: 2, page_size: 50 } },
  { keys: ["snippets", "create"], params: { code: "print('ü ☃ \u2028')\n", title: "", linenos: true }, auth: TOKEN },
  { keys: ["snippets", "update"], params: { id: "1", code: "x", language: "python" }, auth: BASIC },
  { keys: ["snippets", "partial_update"], params: { id: 7, title: null }, auth: TOKEN },
  { keys: ["snippets", "destroy"], params: { id: "a/b c?d#e" }, auth: TOKEN },
  { keys: ["token", "create"], params: { username: "ada", password: "p\"w\\" } },
];

/** Links with fields in every location. */
const LINKS = {
  query: { action: "get", url: "/q?kept=1", fields: [{ name: "a b" }, { name: "$filter" }] },
  path: { action: "get", url: "/p/{id}{/rest*}{?x,y*}", fields: [] },
  heads: { action: "post", url: "/h", fields: [{ name: "X-Trace", location: "header" }, { name: "sid", location: "cookie" }, { name: "n", location: "form" }] },
  json: { action: "put", url: "/j", fields: [{ name: "all", location: "body" }] },
  form: { action: "post", url: "/f", encoding: "application/x-www-form-urlencoded", fields: [{ name: "a" }, { name: "b" }] },
  multipart: { action: "post", url: "/m", encoding: "multipart/form-data", fields: [{ name: 'a "b"' }, { name: "file" }] },
  upload: { action: "put", url: "/u", encoding: "application/octet-stream", fields: [{ name: "file", location: "body" }] },
};
const LINK_CALLS: Call[] = [
  { keys: ["query"], params: { "a b": ["1", 2, true, null, ""], $filter: "x eq 'ü'&(*)~!" } },
  { keys: ["path"], params: { id: "ä/%2F", rest: ["a", "b c"], x: "", y: ["1", "2"] } },
  { keys: ["heads"], params: { "X-Trace": ["a", "ü"], sid: 'a b;c="d",e%', n: 1.5 } },
  ...[null, 0, "", [], {}, false, { "2": 1, b: [1e-12, 1e300, -0.5, "\u0000\u007f"] }].map((all) => ({ keys: ["json"], params: { all } })),
  { keys: ["form"], params: { a: ["x y", "*-._~ü&=+"], b: "" } },
  { keys: ["multipart"], params: { 'a "b"': ["1", "ü\r\n"], file: FILE } },
  { keys: ["upload"], params: { file: FILE } },
];

/** What each platform chooses for itself. */
const OWN = ["host", "connection", "accept", "accept-encoding", "accept-language", "user-agent", "sec-fetch-mode", "cache-control", "pragma"];

function normalized({ method, target, headers, body }: Exchange): object {
  const boundary = headers.map(([, value]) => /boundary=(\S+)/.exec(value)?.[1]).find(Boolean);
  const plain = (text: string): string => (boundary ? text.replaceAll(boundary, "BOUNDARY") : text);
  const bytes = plain(Buffer.from(body, "base64").toString("latin1"));
  const kept = headers.filter(([name]) => !OWN.includes(name) && !(name === "content-length" && (boundary || method === "GET")));
  return { method, target, headers: kept.map(([name, value]) => `${name}: ${plain(value)}`).sort(), body: bytes };
}

function recordedByPython(document: string, calls: Call[]): Exchange[] {
  const script = fileURLToPath(new URL("site/record.py", import.meta.url));
  return JSON.parse(execFileSync("python3", [script], { input: JSON.stringify({ document, calls }), encoding: "utf8" }));
}

async function recordedHere(text: string, calls: Call[]): Promise<Exchange[]> {
  const seen: Exchange[] = [];
  const server = createServer((request, response) => void record(request).then((exchange) => (seen.push(exchange), response.setHeader("Content-Type", "application/json").end("{}"))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const document = new CoreJSONCodec().decode(text.replaceAll("HERE", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)) as Document;
  for (const { keys, params = {}, auth } of calls) {
    const proof = auth && ("token" in auth ? new TokenAuthentication(auth as typeof TOKEN) : new BasicAuthentication(auth as typeof BASIC));
    await new Client({ auth: proof ?? null }).action(document, keys, uploaded(params) as Record<string, unknown>);
  }
  server.close();
  return seen;
}

async function record(request: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = request.rawHeaders.flatMap((name, at): [string, string][] => (at % 2 ? [] : [[name.toLowerCase(), request.rawHeaders[at + 1]!]]));
  return { method: request.method!, target: request.url!, headers, body: Buffer.concat(chunks).toString("base64") };
}

function uploaded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uploaded);
  if (typeof value !== "object" || value === null) return value;
  const file = value as { $file?: string; bytes?: string; type?: string };
  if (file.$file !== undefined) return new File([Buffer.from(file.bytes!, "hex")], file.$file, { type: file.type ?? "" });
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, uploaded(inner)]));
}

async function compare(text: string, calls: Call[]): Promise<void> {
  const [theirs, ours] = [recordedByPython(text, calls), await recordedHere(text, calls)];
  expect(ours.length).toBe(calls.length);
  for (const [at, exchange] of ours.entries()) expect(normalized(exchange), JSON.stringify(calls[at])).toEqual(normalized(theirs[at]!));
}

test("operations of the example service", async () => {
  const service = inject("service");
  const text = await (await fetch(service, { headers: { Accept: "application/coreapi+json" } })).text();
  await compare(text.replaceAll(service, "HERE"), SERVICE_CALLS);
});

test("the root of the example service in each format", async () => {
  const service = inject("service");
  const snippets = async (decoder: Codec): Promise<string[]> => {
    const document = (await new Client({ decoders: [decoder] }).get(service)) as Document;
    expect([document.title, document.issues]).toEqual(["Snippets", []]);
    return [...(document.content.snippets as DocumentNode).links.values()].map((link) => `${link.action} ${link.url.replace(/{[?].*}/, "")}`).sort();
  };
  const native = await snippets(new CoreJSONCodec());
  expect(native.length).toBe(7);
  expect(await snippets(new HALCodec())).toEqual(native);
  expect((await snippets(new OpenAPICodec())).length).toBe(7);
});

test("every location and encoding of parameters", async () => {
  const links = Object.fromEntries(Object.entries(LINKS).map(([name, link]) => [name, { _type: "link", ...link }]));
  await compare(JSON.stringify({ _type: "document", _meta: { url: "HERE" }, ...links }), LINK_CALLS);
});

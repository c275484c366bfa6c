/** The errors of the historic JavaScript client, one test each. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { BasicAuthentication, Client, CoreJSONCodec, Document, Field, HTTPTransport, Link, LintelError, TokenAuthentication } from "../src/index.js";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}
type Answer = { status?: number; headers?: Record<string, string>; body?: string | Buffer };

let server: Server;
let base = "";
let seen: Seen[] = [];
let answers: Record<string, Answer> = {};

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const { status = 200, headers = { "Content-Type": "application/json" }, body = "{}" } = answers[request.url!.split("?")[0]!] ?? {};
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());
beforeEach(() => {
  seen = [];
  answers = {};
});

function document(link: ConstructorParameters<typeof Link>[0]): Document {
  return new Document({ url: base }, { call: new Link(link) });
}

async function call(link: ConstructorParameters<typeof Link>[0], params = {}, options = {}): Promise<unknown> {
  return new Client().action(document(link), ["call"], params, options);
}

async function rejection(promise: Promise<unknown>): Promise<LintelError> {
  const error: unknown = await promise.then(() => null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(LintelError);
  return error as LintelError;
}

test("it runs outside of browsers, and a second request does not hang up", async () => {
  for (let at = 0; at < 5; at++) await call({ url: "/again" });
  expect(seen.length).toBe(5);
});

test("Basic credentials are UTF-8", () => {
  const auth = new BasicAuthentication({ username: "zoë", password: "日本" });
  const request = new Client({ auth }).request(document({ url: "/" }), ["call"]);
  expect(request.headers.get("Authorization")).toBe(`Basic ${Buffer.from("zoë:日本").toString("base64")}`);
});

test("query strings that are there stay", async () => {
  await call({ url: "/x?a=1", fields: ["b"] }, { b: "2 3" });
  expect(seen[0]!.url).toBe("/x?a=1&b=2%203");
});

describe("the encoding of the link is kept", () => {
  const fields = ["a", "f"];
  test("urlencoded", async () => {
    await call({ url: "/", action: "post", encoding: "application/x-www-form-urlencoded", fields }, { a: ["x y", "ü"] });
    expect([seen[0]!.headers["content-type"], seen[0]!.body]).toEqual(["application/x-www-form-urlencoded", "a=x+y&a=%C3%BC"]);
  });
  test("multipart", async () => {
    await call({ url: "/", action: "post", encoding: "multipart/form-data", fields }, { a: true, f: new File(["x"], "x.png") });
    expect(seen[0]!.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[0]!.body).toContain('name="f"; filename="x.png"\r\nContent-Type: image/png\r\n\r\nx\r\n');
    expect(seen[0]!.headers["content-length"]).toBe(String(seen[0]!.body.length));
  });
  test("upload", async () => {
    await call({ url: "/", action: "put", encoding: "application/octet-stream", fields: [new Field({ name: "f", location: "body" })] }, { f: new File(["x"], 'a"ü.bin') });
    expect(seen[0]!.headers["content-disposition"]).toBe(`attachment; filename="a\\"_.bin"; filename*=UTF-8''a%22%C3%BC.bin`);
    expect([seen[0]!.headers["content-type"], seen[0]!.body]).toEqual(["application/octet-stream", "x"]);
  });
  test("an unknown encoding is rejected", async () => {
    expect(await rejection(call({ url: "/", action: "post", encoding: "application/yaml", fields }, { a: 1 }))).toMatchObject({ code: "encoding" });
    expect(seen).toEqual([]);
  });
});

test("lists repeat their name", async () => {
  await call({ url: "/", fields: ["a"] }, { a: [1, 2, null, true] });
  expect(seen[0]!.url).toBe("/?a=1&a=2&a=&a=true");
});

test("header and cookie fields are sent, and fields without a location", async () => {
  const fields = [new Field({ name: "X-Trace", location: "header" }), new Field({ name: "sid", location: "cookie" }), "plain"];
  await call({ url: "/", action: "post", fields }, { "X-Trace": ["a", "ü"], sid: "a b;c", plain: 1 });
  expect(Buffer.from(seen[0]!.headers["x-trace"] as string, "latin1").toString()).toBe("a,ü");
  expect([seen[0]!.headers.cookie, seen[0]!.body]).toEqual(["sid=a%20b%3Bc", '{"plain":1}']);
});

test("escaped keys are restored at any depth, and keys keep their order", () => {
  const text = '{"_type":"document","10":{"__type":1,"___meta":{"__type":2}},"2":[],"":{"_type":"link","url":"a"}}';
  const document = new CoreJSONCodec().decode(text, { baseUrl: "http://h/x/" });
  expect(document.keys()).toEqual(["10", "2", ""]);
  expect(document.getIn(["10", "_type"])).toBe(1);
  expect(document.getIn(["10", "__meta", "_type"])).toBe(2);
  expect((document.get("") as Link).url).toBe("http://h/x/a");
  const again = new CoreJSONCodec().encode(document);
  expect(again).toBe('{"_type":"document","_meta":{"url":"http://h/x/"},"10":{"__type":1,"___meta":{"__type":2}},"2":[],"":{"_type":"link","url":"/x/a"}}');
});

test("relative addresses resolve without _meta.url", async () => {
  answers["/api/"] = { headers: { "Content-Type": "application/coreapi+json" }, body: '{"_type":"document","a":{"_type":"link","url":"../b"}}' };
  const client = new Client();
  const found = await client.get(`${base}api/`);
  expect(found.url).toBe(`${base}api/`);
  await client.action(found, ["a"]);
  expect(seen[1]!.url).toBe("/b");
});

describe("errors are errors, whatever their content", () => {
  const failing = async (answer: Answer): Promise<LintelError> => {
    answers["/"] = answer;
    return rejection(call({ url: "/" }));
  };
  test("nothing", async () => {
    expect(await failing({ status: 404, body: "" })).toMatchObject({ status: 404, content: null, message: "404 Not Found", messages: {} });
  });
  test("not valid JSON, despite its content type", async () => {
    expect(await failing({ status: 500, body: "<h1>" })).toMatchObject({ status: 500, content: "<h1>" });
  });
  test("an image", async () => {
    expect(await failing({ status: 403, headers: { "Content-Type": "image/png" }, body: "PNG" })).toMatchObject({ status: 403 });
  });
  test("the id of the request in the log of the service", async () => {
    for (const name of ["X-Request-ID", "X-Correlation-ID", "Request-ID"]) {
      const error = await failing({ status: 500, headers: { [name]: "r-1" }, body: "" });
      expect(error.requestId).toBe("r-1");
    }
    expect((await failing({ status: 500, body: "" })).requestId).toBeNull();
  });
  test("problem+json", async () => {
    const body = JSON.stringify({ title: "Invalid", detail: "No.", errors: [{ pointer: "#/name", detail: "Too long." }, { pointer: "#/a~1b/c", detail: "Bad." }] });
    const error = await failing({ status: 422, headers: { "Content-Type": "application/problem+json", "Retry-After": "7" }, body });
    expect(error.messages).toEqual({ name: ["Too long."], "a/b": ["Bad."] });
    expect(error.retryAfter).toBe(7);
  });
  test("problem+json about all parameters together, and about one that is called like a member of problems", async () => {
    const errors = ["", "#", "/title"].map((pointer) => ({ pointer, detail: "Bad." }));
    const body = JSON.stringify({ type: "about:blank", title: "Bad Request", status: 400, detail: "Bad.", instance: "/a/", code: "invalid", errors });
    const error = await failing({ status: 400, headers: { "Content-Type": "application/problem+json" }, body });
    expect(error.messages).toEqual({ non_field_errors: ["Bad.", "Bad."], title: ["Bad."] });
  });
  test("problem+json that lists nothing", async () => {
    const body = JSON.stringify({ title: "Conflict", detail: "Taken.", errors: [] });
    const error = await failing({ status: 409, headers: { "Content-Type": "application/problem+json" }, body });
    expect(error.messages).toEqual({ title: ["Conflict"], detail: ["Taken."] });
  });
  test("a Core JSON error with status 200", async () => {
    const body = '{"_type":"error","_meta":{"title":"Refused"},"name":["Too long."]}';
    const error = await failing({ headers: { "Content-Type": "application/coreapi+json" }, body });
    expect(error).toMatchObject({ code: "response", status: 200, messages: { name: ["Too long."] } });
    expect(error.message).toMatch(/^Refused/);
  });
});

test("images are downloads", async () => {
  answers["/"] = { headers: { "Content-Type": "image/png", "Content-Disposition": "attachment; filename*=UTF-8''..%2Fb%C3%A4r.png" }, body: "PNG" };
  const progress: number[] = [];
  const download = (await call({ url: "/" }, {}, { onDownloadProgress: ({ loaded }: { loaded: number }) => progress.push(loaded) })) as { name: string; file(): Promise<File> };
  const file = await download.file();
  expect([download.name, file.type, await file.text(), progress]).toEqual(["bär.png", "image/png", "PNG", [3]]);
});

test("empty path values are rejected before anything is sent", async () => {
  const error = await rejection(call({ url: "/x/{id}/", fields: [new Field({ name: "id", location: "path", required: true })] }, { id: "" }));
  expect(error).toMatchObject({ code: "parameter", messages: { id: ["This parameter must not be empty."] } });
  expect(seen).toEqual([]);
});

test("wrong keys and parameters reject, with suggestions", async () => {
  const client = new Client();
  const found = document({ url: "/", fields: [new Field({ name: "limit", required: true })] });
  expect((await rejection(client.action(found, ["cal"]))).message).toContain("Did you mean call?");
  const error = await rejection(client.action(found, ["call"], { limt: 1 }));
  expect(error.messages).toEqual({ limt: ["Unknown parameter. Did you mean limit?"], limit: ["This parameter is required."] });
});

test("Accept asks for documents, and 204 is null", async () => {
  await new Client().get(base);
  expect(seen[0]!.headers.accept).toBe("application/coreapi+json, application/vnd.coreapi+json, application/openapi+json, application/vnd.oai.openapi+json, */*;q=0.1");
  answers["/"] = { status: 204, headers: {}, body: "" };
  expect(await call({ url: "/" })).toBe(null);
});

describe("beyond", () => {
  test("big integers are exact by option, in both directions", async () => {
    answers["/"] = { body: '{"a": 12345678901234567890, "b": 1.5, "s": "n1 12345678901234567890", "c": [-9007199254740993, 7]}' };
    const client = new Client({ bigint: true });
    const found = await client.action(document({ url: "/" }), ["call"]);
    expect(found).toEqual({ a: 12345678901234567890n, b: 1.5, s: "n1 12345678901234567890", c: [-9007199254740993n, 7] });
    await client.action(document({ url: "/", action: "post", fields: ["a"] }), ["call"], { a: found.a });
    expect(seen[1]!.body).toBe('{"a":12345678901234567890}');
    answers["/"] = { body: `[${"9".repeat(5000)}]` };
    expect(await rejection(client.action(document({ url: "/" }), ["call"]))).toMatchObject({ code: "parse" });
  });

  test("credentials and headers stay with their origin, along redirects and for links elsewhere", async () => {
    const other = createServer((request, response) => {
      seen.push({ method: request.method!, url: `other${request.url}`, headers: request.headers, body: "" });
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const transports = [new HTTPTransport({ headers: { "X-Key": "K" } })];
    const client = new Client({ auth: new TokenAuthentication({ token: "T" }), transports });
    answers["/away"] = { status: 307, headers: { Location: elsewhere } };
    await client.action(document({ url: "/away", action: "post", fields: ["a"] }), ["call"], { a: 1 });
    await client.action(document({ url: elsewhere }), ["call"]);
    expect(seen.map(({ headers }) => [headers.authorization, headers["x-key"]])).toEqual([["Bearer T", "K"], [undefined, undefined], [undefined, undefined]]);
    other.close();
  });

  test("a redirect after POST is a GET without a body, a loop ends", async () => {
    answers["/a"] = { status: 302, headers: { Location: "/b" } };
    await call({ url: "/a", action: "post", fields: ["a"] }, { a: 1 });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([["POST", "/a", '{"a":1}'], ["GET", "/b", ""]]);
    answers["/c"] = { status: 302, headers: { Location: "/c" } };
    expect(await rejection(call({ url: "/c" }))).toMatchObject({ code: "redirect" });
  });

  test("only repeatable calls are repeated, and Retry-After is honoured", async () => {
    answers["/"] = { status: 503, headers: { "Retry-After": "0" } };
    const client = new Client({ retry: 2 });
    await rejection(client.action(document({ url: "/" }), ["call"]));
    expect(seen.length).toBe(3);
    await rejection(client.action(document({ url: "/", action: "post" }), ["call"]));
    expect(seen.length).toBe(4);
    await rejection(client.action(document({ url: "/", action: "query" }), ["call"]));
    expect(seen.length).toBe(7);
  });

  test("a server that does not answer in time, one that is not there, and an answer that is too long", async () => {
    const slow = createServer(() => {});
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    expect(await rejection(new Client({ transports: [new HTTPTransport({ timeout: 50 })] }).get(url))).toMatchObject({ code: "timeout" });
    slow.closeAllConnections();
    await new Promise((resolve) => slow.close(resolve));
    expect(await rejection(new Client().get(url))).toMatchObject({ code: "network" });
    expect(await rejection(new Client({ maxBody: 1 }).get(base))).toMatchObject({ code: "network" });
  });

  test("no message contains a query, which may hold secrets", async () => {
    answers["/loop"] = { status: 302, headers: { Location: "/loop?key=hidden" } };
    const failures = [rejection(call({ url: "/loop?key=hidden" })), rejection(new Client({ maxBody: 1 }).get(new URL("/?key=hidden", base).href))];
    for (const { message } of await Promise.all(failures)) {
      expect(message).toContain(new URL(base).host);
      expect(message).not.toContain("hidden");
    }
  });

  test("versions: Accept, query, path and host", async () => {
    const found = document({ url: "http://api.example.org/{version}/x" });
    const at = (version: ConstructorParameters<typeof Client>[0]): { url: string; headers: Headers } => new Client(version).request(found, ["call"], version!.version && typeof version!.version === "object" && version!.version.in === "path" ? {} : { version: "v" });
    expect(at({ version: "1.0" }).headers.get("Accept")).toMatch(/^application\/coreapi\+json; version=1\.0, .*\*\/\*; version=1\.0;q=0\.1$/);
    expect(at({ version: { version: "2", in: "query", name: "v" } }).url).toBe("http://api.example.org/v/x?v=2");
    expect(at({ version: { version: "v2", in: "path" } }).url).toBe("http://api.example.org/v2/x");
    expect(at({ version: { version: "v2", in: "host" } }).url).toBe("http://v2.example.org/v/x");
  });

  test("pages: links, a Link header, and no circle", async () => {
    const items = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const item of new Client().pages(document({ url: "/1" }), ["call"])) found.push(item);
      return found;
    };
    answers["/1"] = { body: '{"links":{"next":"/2"},"results":[1]}' };
    answers["/2"] = { body: '{"links":{"next":"/1"},"results":[2]}' };
    expect(await items()).toEqual([1, 2]);
    answers["/1"] = { body: "[1]", headers: { "Content-Type": "application/json", Link: '<2?a=,b>; rel="next last", </0>; rel="prev"' } };
    answers["/2"] = { body: "[3]" };
    expect(await items()).toEqual([1, 3]);
  });

  test("uploads report their progress", async () => {
    const progress: number[] = [];
    const file = new File([new Uint8Array(300_000)], "a.bin");
    const options = { onUploadProgress: ({ loaded, total }: { loaded: number; total: number | null }) => progress.push(loaded / total!) };
    await call({ url: "/", action: "post", encoding: "multipart/form-data", fields: ["f"] }, { f: file }, options);
    expect(progress.at(-1)).toBe(1);
    expect(Number(seen[0]!.headers["content-length"])).toBeGreaterThan(300_000);
    expect(seen[0]!.headers["transfer-encoding"]).toBe(undefined);
  });

  test("a link in an embedded document changes it in place", async () => {
    const inner = new Document({ url: base }, { remove: new Link({ url: "/", action: "delete" }), name: "a" });
    const outer = new Document({ url: base }, { list: [inner, 2] });
    answers["/"] = { status: 204, headers: {}, body: "" };
    const changed = await new Client().action(outer, ["list", 0, "remove"]);
    expect(changed.toJSON()).toEqual({ list: [2] });
    expect(outer.getIn(["list", 0, "name"])).toBe("a");
  });
});

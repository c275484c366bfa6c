import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { Client, CoreJSONCodec, Document, DocumentNode, Link, LintelError, OpenAPICodec, type OutgoingRequest, SchemeAuthentication } from "../src/index.js";
import * as native from "../src/native.js";

/** Method and path, operation id, tags, keys. */
type OperationRow = [string, string, string, string[], string[]];

/** The cases shared with the Python codec. */
const OPERATION_KEYS: { id: string; described?: string[]; operations: OperationRow[] }[] = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../tests/data/operation_keys.json", import.meta.url)), "utf8"),
).cases;

const COLORS = ["blue", "black", "brown"];
const RGB = { R: 100, G: 200, B: 150 };

function description(operation: object, path = "/x", method = "get", more: object = {}): Document {
  const root = { openapi: "3.1.1", servers: [{ url: "https://api.example/v1" }], paths: { [path]: { [method]: { operationId: "op", ...operation } } }, ...more };
  return new OpenAPICodec().decode(JSON.stringify(root));
}

function old(operation: object, path = "/x", method = "get", more: object = {}): Document {
  const root = { swagger: "2.0", host: "api.example", basePath: "/v1", schemes: ["https"], paths: { [path]: { [method]: { operationId: "op", ...operation } } }, ...more };
  return new OpenAPICodec().decode(JSON.stringify(root));
}

function request(document: Document, params: Record<string, unknown>, options = {}): OutgoingRequest {
  return new Client().request(document, ["op"], params, options);
}

async function body(document: Document, params: Record<string, unknown>, options = {}): Promise<[string | null, string]> {
  const { headers, body } = request(document, params, options);
  return [headers.get("Content-Type"), await new Blob(body ? [body] : []).text()];
}

/** Method, path and keys of each operation below a node. */
function placed(node: DocumentNode, above: string[] = []): string[] {
  return [...node].flatMap(([key, value]) => {
    if (value instanceof Link) return [[value.action, value.url, ...above, key].join(" > ")];
    return placed(value as DocumentNode, [...above, key]);
  });
}

describe("parameters in every style (OpenAPI 3.1.1, Style Examples)", () => {
  test.each([
    ["path", "matrix", false, "", ";color"],
    ["path", "matrix", false, COLORS, ";color=blue,black,brown"],
    ["path", "matrix", false, RGB, ";color=R,100,G,200,B,150"],
    ["path", "matrix", true, COLORS, ";color=blue;color=black;color=brown"],
    ["path", "matrix", true, RGB, ";R=100;G=200;B=150"],
    ["path", "label", false, "blue", ".blue"],
    ["path", "label", true, COLORS, ".blue.black.brown"],
    ["path", "label", true, RGB, ".R=100.G=200.B=150"],
    ["path", "simple", false, COLORS, "blue,black,brown"],
    ["path", "simple", false, RGB, "R,100,G,200,B,150"],
    ["path", "simple", true, RGB, "R=100,G=200,B=150"],
    ["query", "form", false, "", "color="],
    ["query", "form", false, RGB, "color=R,100,G,200,B,150"],
    ["query", "form", true, COLORS, "color=blue&color=black&color=brown"],
    ["query", "form", true, RGB, "R=100&G=200&B=150"],
    ["query", "form", false, [], ""],
    ["query", "spaceDelimited", false, COLORS, "color=blue%20black%20brown"],
    ["query", "pipeDelimited", false, COLORS, "color=blue%7Cblack%7Cbrown"],
    ["query", "deepObject", true, { a: { b: 1 }, c: [2, 3] }, "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D=2&color%5Bc%5D=3"],
    ["header", "simple", false, COLORS, "blue,black,brown"],
    ["header", "simple", true, RGB, "R=100,G=200,B=150"],
    ["cookie", "form", false, COLORS, "color=blue,black,brown"],
    ["cookie", "form", true, COLORS, "color=blue; color=black; color=brown"],
    ["cookie", "cookie", true, "a=b", "color=a=b"],
  ] as const)("%s %s explode=%s %j", (location, style, explode, value, expected) => {
    const path = location === "path" ? "/x/{color}" : "/x";
    const parameter = { name: "color", in: location, style, explode, required: location === "path" };
    const built = request(description({ parameters: [parameter] }, path), { color: value });
    const url = built.url.replace("https://api.example/v1/x", "").replace(/^[/?]/, "");
    const found = { header: built.headers.get("color"), cookie: built.headers.get("Cookie") }[location as string] ?? url;
    expect(found).toBe(expected);
  });

  test("an empty value leaves no gap in the path", () => {
    const document = description({ parameters: [{ name: "id", in: "path", required: true }] }, "/x/{id}/y");
    for (const id of ["", [], {}, "..", "."]) expect(() => request(document, { id })).toThrow(LintelError);
    expect(() => request(document, {})).toThrow("id: This parameter is required.");
  });

  test.each([["/x/{+p}", "../etc"], ["/x/{+p}", "a/../../etc"], ["/x/{+p}", "%2e%2E/etc"], ["/x/{.p}", "."], ["/x{/p}", ".."]])(
    "no value of %s makes a dot segment: %s",
    (template, p) => {
      const document = new Document({ url: "https://api.example/" }, { op: new Link({ url: template }) });
      expect(() => request(document, { p })).toThrow("dot segment");
      const kept = new Document({ url: "https://api.example/" }, { op: new Link({ url: "/a/../x/{+p}" }) });
      expect(request(kept, { p: "b/..c" }).url).toBe("https://api.example/x/b/..c");
    },
  );

  test("the client of the native format alone refuses dot segments, too, and names the parameter", () => {
    const document = new native.Document({ url: "https://api.example/" }, { op: new native.Link({ url: "/x/{+p}" }) });
    const client = new native.Client();
    expect(() => client.request(document, ["op"], { p: "a/../../etc" })).toThrow("p: This parameter must not be a dot segment.");
    expect(client.request(document, ["op"], { p: "a/b" }).url).toBe("https://api.example/x/a/b");
  });

  test("odd names of variables work in the path", () => {
    const names = ["a b", "$x", "x:y", "user-id", "größe"];
    for (const name of names) {
      const parameters = [{ name, in: "path", required: true }];
      expect(request(description({ parameters }, `/x/{${name}}`), { [name]: "v/w" }).url).toBe("https://api.example/v1/x/v%2Fw");
    }
  });

  test("reserved characters pass where they are allowed to", () => {
    const parameters = [{ name: "q", in: "query", allowReserved: true }];
    expect(request(description({ parameters }), { q: "a/b?c:d e%20#[]" }).url).toBe("https://api.example/v1/x?q=a/b?c:d%20e%20%23%5B%5D");
  });

  test("the whole query can be one parameter (3.2)", () => {
    const parameters = [{ name: "all", in: "querystring", content: { "application/x-www-form-urlencoded": {} } }];
    expect(request(description({ parameters }), { all: { a: "x y", b: [1, 2] } }).url).toMatch(/\?a=x\+y&b=1&b=2$/);
  });

  test("parameters of the path item hold where the operation has none of that name and place", () => {
    const shared = [{ name: "a", in: "query" }, { name: "b", in: "query", style: "pipeDelimited", explode: false }];
    const root = { openapi: "3.0.0", servers: [{ url: "https://h.example" }], paths: { "/x": { parameters: shared, get: { operationId: "op", parameters: [{ name: "b", in: "query" }] } } } };
    const document = new OpenAPICodec().decode(JSON.stringify(root));
    expect(request(document, { a: 1, b: [2, 3] }).url).toBe("https://h.example/x?b=2&b=3&a=1");
  });

  test.each([
    ["query", "csv", "c=1,2"],
    ["query", "ssv", "c=1%202"],
    ["query", "tsv", "c=1%092"],
    ["query", "pipes", "c=1%7C2"],
    ["query", "multi", "c=1&c=2"],
    ["query", undefined, "c=1,2"],
    ["path", "csv", "1,2"],
    ["path", "pipes", "1%7C2"],
  ])("2.0: a list in the %s as %s", (location, collectionFormat, expected) => {
    const parameter = { name: "c", in: location, type: "array", collectionFormat, required: true };
    const { url } = request(old({ parameters: [parameter] }, location === "path" ? "/x/{c}" : "/x"), { c: [1, 2] });
    expect(url.replace(/^https:\/\/api.example\/v1\/x[/?]/, "")).toBe(expected);
  });
});

describe("bodies", () => {
  const media = (type: string, schema: object = {}, more: object = {}): object => ({ requestBody: { required: true, content: { [type]: { schema, ...more } } } });
  const post = (operation: object): Document => description(operation, "/x", "post");

  test("properties are parameters, and the whole body is one", async () => {
    const document = post(media("application/json", { type: "object", required: ["a"], properties: { a: {}, b: { readOnly: true }, c: {} } }));
    expect(await body(document, { a: 1, c: null })).toEqual(["application/json", '{"a":1,"c":null}']);
    expect(await body(document, { body: { z: [] } })).toEqual(["application/json", '{"z":[]}']);
    expect(() => request(document, { c: 1 })).toThrow("a: This parameter is required.");
    expect(() => request(document, { a: 1, b: 1 })).toThrow("b: Unknown parameter.");
  });

  test.each([null, 0, "", [], {}, false])("%j is a body", async (value) => {
    expect(await body(post(media("application/json")), { body: value })).toEqual(["application/json", JSON.stringify(value)]);
  });

  test("a required body must be there", () => {
    expect(() => request(post(media("application/json")), {})).toThrow("body: This parameter is required.");
  });

  test("vendor types of JSON keep their name", async () => {
    expect(await body(post(media("application/vnd.x.v3+json")), { body: 1 })).toEqual(["application/vnd.x.v3+json", "1"]);
  });

  test("forms: lists repeat, objects are JSON, styles hold", async () => {
    const type = "application/x-www-form-urlencoded";
    const plain = post(media(type));
    expect(await body(plain, { body: { a: [1, 2], b: { c: "d e" }, f: "x y&" } })).toEqual([type, "a=1&a=2&b=%7B%22c%22%3A%22d+e%22%7D&f=x+y%26"]);
    const styled = post(media(type, {}, { encoding: { a: { explode: false }, b: { style: "deepObject", explode: true } } }));
    expect((await body(styled, { body: { a: [1, 2], b: { c: 1 } } }))[1]).toBe("a=1,2&b%5Bc%5D=1");
  });

  test("multipart: texts, files, lists and JSON", async () => {
    const document = post(media("multipart/form-data", {}, { encoding: { note: { contentType: "text/markdown" } } }));
    const file = new File(["<p>"], 'a "b".html');
    const [type, text] = await body(document, { body: { t: "ü", n: [1, 2], o: { a: 1 }, f: file, note: "#" } });
    const boundary = type!.split("boundary=")[1]!;
    expect(text.split(boundary).length).toBe(8);
    expect(text).toContain('name="t"\r\n\r\nü\r\n');
    expect(text).toContain('name="n"\r\n\r\n2\r\n');
    expect(text).toContain('name="o"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n');
    expect(text).toContain('name="f"; filename="a %22b%22.html"\r\nContent-Type: text/html\r\n\r\n<p>\r\n');
    expect(text).toContain('name="note"\r\nContent-Type: text/markdown\r\n\r\n#\r\n');
  });

  test("text and binary bodies are sent unchanged", async () => {
    expect(await body(post(media("text/plain")), { body: "hä" })).toEqual(["text/plain; charset=utf-8", "hä"]);
    expect(await body(post(media("application/xml")), { body: "<a/>" })).toEqual(["application/xml", "<a/>"]);
    expect(await body(post(media("image/*")), { body: new File(["x"], "a.png") })).toEqual(["image/png", "x"]);
    expect(await body(post(media("application/octet-stream")), { body: "x" })).toEqual(["application/octet-stream", "x"]);
  });

  test("JSON is taken where there are several types, and the caller may choose another one", async () => {
    const content = { "text/plain": {}, "multipart/form-data": {}, "application/json": {} };
    const document = post({ requestBody: { content } });
    expect((await body(document, { body: "a" }))[0]).toBe("application/json");
    expect((await body(document, { body: "a" }, { overrides: { encoding: "text/plain" } }))[0]).toBe("text/plain");
  });

  test("2.0: body and formData", async () => {
    const inBody = old({ consumes: ["application/json"], parameters: [{ name: "pet", in: "body", schema: { type: "array" } }] }, "/x", "post");
    expect(await body(inBody, { body: [1] })).toEqual(["application/json", "[1]"]);
    const form = [{ name: "a", in: "formData", type: "array", collectionFormat: "csv" }, { name: "b", in: "formData", type: "string" }];
    expect((await body(old({ parameters: form }, "/x", "post"), { a: [1, 2], b: "c d" }))[1]).toBe("a=1,2&b=c+d");
    const file = [{ name: "f", in: "formData", type: "file", required: true }];
    expect((await body(old({ parameters: file }, "/x", "post"), { f: new File(["x"], "x.txt") }))[0]).toMatch(/^multipart\/form-data/);
  });
});

describe("security", () => {
  const schemes = { components: { securitySchemes: { q: { type: "apiKey", in: "query", name: "key" }, h: { type: "apiKey", in: "header", name: "X-Key" }, b: { type: "http", scheme: "basic" }, o: { type: "oauth2" } } } };
  const built = (security: object[], credentials: Record<string, string>): OutgoingRequest =>
    new Client({ auth: new SchemeAuthentication(credentials) }).request(description({ security }, "/x", "get", schemes), ["op"]);

  test("keys in the query, basic, OAuth2, and two schemes together", () => {
    expect(built([{ q: [] }], { q: "K 2" }).url).toBe("https://api.example/v1/x?key=K%202");
    expect(built([{ b: [] }], { b: "ü:p:w" }).headers.get("Authorization")).toBe("Basic w7w6cDp3");
    const both = built([{ h: [], o: [] }], { h: "K1", o: "T" }).headers;
    expect([both.get("X-Key"), both.get("Authorization")]).toEqual(["K1", "Bearer T"]);
    expect(() => built([{ h: [], o: [] }], { h: "K1" })).toThrow("This operation needs credentials: h and o");
  });

  test("given credentials are sent even if anonymous access is allowed", () => {
    expect(built([{}, { h: [] }], { h: "K1" }).headers.get("X-Key")).toBe("K1");
  });

  test("credentials stay with the origin of the description", () => {
    const operation = { security: [{ h: [] }], servers: [{ url: "https://up.example" }] };
    const root = { openapi: "3.1.1", servers: [{ url: "/v1" }], paths: { "/x": { get: { operationId: "op", ...operation } } }, ...schemes };
    const document = new OpenAPICodec().decode(JSON.stringify(root), { baseUrl: "https://api.example/openapi.json" });
    const bound = new Client({ auth: new SchemeAuthentication({ h: "K1" }) }).request(document, ["op"]);
    expect([bound.url, bound.headers.has("X-Key")]).toEqual(["https://up.example/x", false]);
    const named = new Client({ auth: new SchemeAuthentication({ h: "K1" }, "up.example") }).request(document, ["op"]);
    expect(named.headers.get("X-Key")).toBe("K1");
  });
});

describe("odd descriptions", () => {
  test("an operation that cannot be read says why, the others stay usable", () => {
    const paths = { "/a": { get: { operationId: "a", parameters: [{ $ref: "#/nowhere" }] } }, "/b": { get: { operationId: "b" } } };
    const document = new OpenAPICodec().decode(JSON.stringify({ openapi: "3.0.0", paths }), { baseUrl: "https://h.example/" });
    expect(document.issues).toEqual(['#/paths/~1a/get: The reference #/nowhere leads to nothing: no "nowhere" there']);
    expect(() => new Client().request(document, ["a"])).toThrow("This operation cannot be called");
    expect(new Client().request(document, ["b"]).url).toBe("https://h.example/b");
  });

  test.each([
    { openapi: "3.1.0" },
    { openapi: "3.1.0", paths: [] },
    { openapi: "3.1.0", paths: { "/a": null, "/b": { get: 1, post: { parameters: {}, requestBody: 3, responses: [], security: "x", tags: [1, null, ""] } } } },
    { swagger: "2.0", host: 3, schemes: {}, securityDefinitions: [], paths: { "/a": { post: { consumes: 1, parameters: [{ in: "body" }, { in: 3, name: {} }] } } } },
    { openapi: "3.0.0", servers: [{ url: 3 }, null], components: { securitySchemes: { a: { $ref: "#/components/securitySchemes/a" } } }, paths: { "/x": { get: { "x-lintel-keys": [{}] } } } },
  ])("wrong types do no harm: %j", (root) => {
    const document = new OpenAPICodec().decode(JSON.stringify(root), { baseUrl: "https://h.example/" });
    for (const [key, value] of document) if (value instanceof Link) expect(() => new Client().request(document, [key])).not.toThrow(TypeError);
  });

  test.each(OPERATION_KEYS)("keys of operations are those of the Python client: $id", ({ operations, described = [] }) => {
    const read = (all: OperationRow[]): string[] => {
      const paths: Record<string, Record<string, object>> = {};
      for (const [method, path, operationId, tags] of all) paths[path] = { ...paths[path], [method]: { operationId, tags } };
      const tags = described.map((name) => ({ name }));
      const document = new OpenAPICodec().decode(JSON.stringify({ openapi: "3.1.1", tags, paths }));
      return placed(document).sort();
    };
    const expected = operations.map(([method, path, , , keys]) => [method, path, ...keys].join(" > ")).sort();
    expect(read(operations)).toEqual(expected);
    expect(read([...operations].reverse())).toEqual(expected);
  });

  test("names do not depend on the order of the file", () => {
    const paths = { "/a": { get: { operationId: "users_list", tags: ["users"] }, post: { operationId: "users_list", tags: ["users"] } }, "/b": { get: { operationId: "users" } }, "/__proto__": { get: { operationId: "__proto__" } } };
    const names = (root: object): string[] => {
      const document = new OpenAPICodec().decode(JSON.stringify({ openapi: "3.0.0", paths: root }));
      return document.keys().flatMap((key) => (document.get(key) instanceof Link ? [key] : (document.get(key) as Document).keys().map((inner) => `${key} > ${inner}`))).sort();
    };
    expect(names(paths)).toEqual(["__proto__", "get /b", "users > list", "users > users_list"]);
    expect(names(Object.fromEntries(Object.entries(paths).reverse()))).toEqual(names(paths));
  });

  test("schemas that include each other are read once each", () => {
    const all = Array.from({ length: 200 }, () => ({ $ref: "#/components/schemas/a" }));
    const schemas = { a: { properties: { x: {} }, required: ["x"], allOf: [...all, { $ref: "#/components/schemas/b" }] }, b: { properties: { y: {} }, allOf: all } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/a" } } };
    const document = description({ requestBody: { required: true, content } }, "/x", "post", { components: { schemas } });
    expect((document.get("op") as Link).fields.map(({ name, required }) => [name, required])).toEqual([["x", true], ["y", false], ["body", false]]);
  });

  test("anything but OpenAPI is rejected", () => {
    for (const text of ["{}", "[]", '{"openapi": "1.0"}', "{"]) expect(() => new OpenAPICodec().decode(text)).toThrow(LintelError);
  });
});

test("headers of a part with a fixed value are sent with it", async () => {
  const headers = {
    "X-Kind": { schema: { enum: ["photo"] } },
    "X-Size": { schema: { default: 3 } },
    "X-Shown": { $ref: "#/components/headers/shown" },
    "X-Free": { schema: { type: "string" } },
    "Content-Type": { schema: { default: "text/html" } },
  };
  const media = { schema: { properties: { a: { type: "string" } } }, encoding: { a: { headers } } };
  const components = { headers: { shown: { required: true, example: "yes" } } };
  const document = description({ requestBody: { content: { "multipart/form-data": media } } }, "/x", "post", { components });
  const [, sent] = await body(document, { a: "1" });
  expect(sent).toContain('name="a"\r\nX-Kind: photo\r\nX-Size: 3\r\nX-Shown: yes\r\n\r\n1\r\n');
});

test("JSON in a header is ASCII", () => {
  const document = description({ parameters: [{ name: "X-A", in: "header", content: { "application/json": {} } }] });
  expect(request(document, { "X-A": ["é"] }).headers.get("X-A")).toBe('["\\u00e9"]');
});

test("an operation whose parts are not there says so", () => {
  const paths = {
    "/x": { post: { requestBody: { $ref: "#/gone" } }, put: { $ref: "x.yaml" }, patch: null, get: { responses: { 200: { $ref: "#/a" } } } },
  };
  const document = new OpenAPICodec().decode(JSON.stringify({ openapi: "3.1.0", servers: [{ url: "https://x.example" }], paths }));
  const problems = document.keys().map((key) => [key, (document.get(key) as Link).problem]);
  expect(problems).toEqual([
    ["post /x", expect.stringContaining("leads to nothing")],
    ["put /x", "The reference to x.yaml is not followed: it points outside the description"],
    ["patch /x", ""],
    ["get /x", ""],
  ]);
  expect(() => new Client().request(document, ["put /x"], {}, { validate: false })).toThrow("This operation cannot be called: The reference to x.yaml");
});

test("a chain of references has a limit", () => {
  const chain = (length: number): string => {
    const links = Array.from({ length }, (_, at) => [`s${at}`, { $ref: `#/components/schemas/s${at + 1}` }] as const);
    const schemas = { ...Object.fromEntries(links), [`s${length}`]: { properties: { a: {} } } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/s0" } } };
    return JSON.stringify({ openapi: "3.1.0", components: { schemas }, paths: { "/x": { post: { operationId: "op", requestBody: { content } } } } });
  };
  const document = new OpenAPICodec().decode(chain(64));
  expect((document.get("op") as Link).fields.map(({ name }) => name)).toEqual(["a", "body"]);
  for (const length of [65, 100_000]) expect(() => new OpenAPICodec().decode(chain(length))).toThrow("s0 refers to more than 64 others in a row");
});

test("a document of another format is written as OpenAPI, with what that lacks in extensions", () => {
  const links = {
    list: { _type: "link", url: "/pets/{id}{?page}", action: "get", title: "Pets" },
    create: { _type: "link", url: "/pets/", action: "post", fields: [{ name: "name", required: true, schema: { _type: "string" } }] },
  };
  const native = { _type: "document", _meta: { url: "https://pets.example/", title: "Pets" }, pets: links, count: 2 };
  const codec = new OpenAPICodec();
  const tree = JSON.parse(codec.encode(new CoreJSONCodec().decode(JSON.stringify(native))));
  expect([tree.openapi, tree.info, tree.servers, tree["x-lintel-data"]]).toEqual(["3.1.1", { title: "Pets", version: "" }, [{ url: "https://pets.example" }], { count: 2 }]);
  expect(tree.paths["/pets/{id}"].get.parameters.map((each: { name: string; in: string }) => [each.in, each.name])).toEqual([["path", "id"]]);
  expect(tree.paths["/pets/"].post.requestBody.content["application/json"].schema).toEqual({ type: "object", properties: { name: { type: "string", title: "", description: "" } }, required: ["name"] });
  const again = codec.decode(JSON.stringify(tree));
  expect(again.url).toBe("https://pets.example/");
  expect(new Client().request(again, ["pets", "list"], { id: 1, page: 2 }).url).toBe("https://pets.example/pets/1?page=2");
});

test("schemas that refer to each other are written once", () => {
  const tree = { type: "object", properties: { $ref: { type: "string" }, next: { $ref: "#/definitions/tree" }, gone: { $ref: "#/definitions/gone" } }, example: { $ref: "data" } };
  const body = { name: "body", in: "body", schema: { $ref: "#/definitions/tree" } };
  const old = { swagger: "2.0", host: "a.example", definitions: { tree }, paths: { "/a": { post: { operationId: "a", parameters: [body], responses: {} } } } };
  const codec = new OpenAPICodec();
  const written = JSON.parse(codec.encode(codec.decode(JSON.stringify(old))));
  const properties = { $ref: { type: "string" }, next: { $ref: "#/components/schemas/tree" }, gone: { $ref: "#/components/schemas/gone" } };
  expect(written.components.schemas).toEqual({ tree: { ...tree, properties }, gone: {} });
});

test("equal paths and equal ids are told apart", () => {
  const link = { _type: "link", url: "/a{?q}", action: "get" };
  const native = { _type: "document", _meta: { url: "https://a.example/" }, one: link, two: { ...link, url: "/a{?r}" }, "x y": { ...link, action: "link" } };
  const codec = new OpenAPICodec();
  const tree = JSON.parse(codec.encode(new CoreJSONCodec().decode(JSON.stringify(native)), { indent: true }));
  expect(Object.keys(tree.paths)).toEqual(["/a", "/a#2"]);
  expect(Object.keys(tree.paths["/a"]["x-additionalOperations"])).toEqual(["link"]);
  const again = codec.decode(JSON.stringify(tree));
  expect(again.keys()).toEqual(["one", "x y", "two"]);
  expect(new Client().request(again, ["two"], { r: 1 }).url).toBe("https://a.example/a?r=1");
});

test("only documents are written, and none that is nested too deeply", () => {
  expect(() => new OpenAPICodec().encode({})).toThrow("OpenAPI describes documents");
  const deep = Array.from({ length: 120 }).reduce<object>((inner) => ({ a: inner }), {});
  expect(() => new OpenAPICodec().encode(new Document({}, deep as Record<string, unknown>))).toThrow("nested too deeply");
});

import { describe, expect, test } from "vitest";

import { HALCodec } from "../src/codecs/hal.js";
import { HyperSchemaCodec } from "../src/codecs/hyperschema.js";
import { Client, CoreJSONCodec, Document, DocumentError, Link, OpenAPICodec } from "../src/index.js";

function url(document: Document, keys: (string | number)[], params = {}): string {
  return new Client().request(document, keys, params).url;
}

describe("HAL", () => {
  const read = (raw: unknown): Document => new HALCodec().decode(JSON.stringify(raw), { baseUrl: "https://h.example/api/" });

  test("links, templates, CURIEs, lists of names and embedded documents", () => {
    const document = read({
      title: "data",
      _links: {
        self: { href: "/api/orders", title: "Orders" },
        curies: [{ name: "x", href: "/rels/{rel}", templated: true }],
        "x:find": { href: "find{?q,page}", templated: true },
        "https://rels.example/items": [{ href: "a", name: "one" }, { href: "b", name: "two" }],
        title: { href: "t" },
        literal: { href: "/a{b}" },
      },
      _embedded: { order: [{ id: 1, _links: { self: { href: "orders/1" }, cancel: { href: "orders/1/cancel" } } }] },
    });
    expect([document.url, document.title, document.keys()]).toEqual(["https://h.example/api/orders", "Orders", ["title", "order", "find", "items", "title_link", "literal"]]);
    expect(url(document, ["find"], { q: "a b" })).toBe("https://h.example/api/find?q=a%20b");
    expect(url(document, ["items", "two"])).toBe("https://h.example/api/b");
    // Braces make a template even if it is not declared as one, as in the Python client.
    expect(url(document, ["literal"], { b: "c" })).toBe("https://h.example/ac");
    expect((document.getIn(["order", 0]) as Document).url).toBe("https://h.example/api/orders/1");
    expect(url(document, ["order", 0, "cancel"])).toBe("https://h.example/api/orders/orders/1/cancel");
  });

  test.each([{ _links: [] }, { _links: { a: 1, b: [null], c: {} }, _embedded: { d: 3 } }, { _embedded: "x" }])("odd shapes do not crash: %j", (raw) => {
    expect(read(raw).issues.length).toBeGreaterThan(0);
  });

  test("forms are links with fields", () => {
    const properties = [
      { name: "title", required: true, prompt: "The title" },
      { name: "size", options: { inline: [{ prompt: "Small", value: "s" }, "l"] } },
      { name: "count", type: "number", min: 1 },
      { name: "id", readOnly: true },
    ];
    const document = read({
      _links: { self: { href: "/orders" } },
      _templates: {
        create: { method: "POST", properties, contentType: "application/x-www-form-urlencoded" },
        search: { target: "/find", properties: [{ name: "q" }] },
        odd: { method: "G T", properties: [{}] },
        none: 3,
      },
    });
    const { method, body, url: built } = new Client().request(document, ["create"], { title: "a b", count: 2 });
    expect([method, built, new TextDecoder().decode(body as Uint8Array)]).toEqual(["POST", "https://h.example/orders", "title=a+b&count=2"]);
    expect((document.get("create") as Link).fields.map(({ name, schema }) => [name, schema])).toEqual([
      ["title", { title: "The title", type: "string" }],
      ["size", { enum: ["s", "l"] }],
      ["count", { type: "number", minimum: 1 }],
    ]);
    expect(url(document, ["search"], { q: "x" })).toBe("https://h.example/find?q=x");
    expect(document.issues).toEqual([
      "#/_templates/odd/method: this is not an HTTP method, so GET is used",
      "#/_templates/odd/properties/0: the property of the form has no name",
      "#/_templates/none: the form must be an object",
    ]);
  });

  test("nesting is limited", () => {
    expect(() => new HALCodec().decode(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`)).toThrow("nested too deeply");
  });

  const again = (document: Document): Document => new HALCodec().decode(new HALCodec().encode(document));

  test("links, data, embedded documents and forms are written", () => {
    const native = {
      _type: "document",
      _meta: { url: "https://api.example/", title: "API" },
      users: { _type: "link", url: "/users", action: "get", fields: [{ name: "page", location: "query" }, { name: "tag", location: "query", schema: { _type: "array" } }] },
      read: { _type: "link", url: "/users/{id}", action: "get", fields: [{ name: "id", required: true, location: "path" }] },
      create: {
        ...{ _type: "link", url: "/users", action: "post", encoding: "application/json", title: "New user" },
        fields: [
          { name: "name", required: true, location: "form", schema: { _type: "string", title: "Name" } },
          { name: "age", location: "form", schema: { _type: "integer" } },
        ],
      },
      data: { 2: "b", 1: "a" },
      first: { _type: "document", _meta: { url: "/users/1" }, name: "Ann" },
    };
    const written = JSON.parse(new HALCodec().encode(new CoreJSONCodec().decode(JSON.stringify(native)), { indent: true }));
    expect(Object.keys(written)).toEqual(["_links", "data", "_embedded", "_templates"]);
    expect(written._links.self).toEqual({ href: "https://api.example/", title: "API" });
    expect(written._links.users).toMatchObject({ href: "/users{?page,tag*}", templated: true });
    expect(written._links.read).toMatchObject({ href: "/users/{id}", templated: true });
    expect(written._embedded).toEqual({ first: { _links: { self: { href: "/users/1" } }, name: "Ann" } });
    expect(written._templates.create).toMatchObject({ method: "POST", target: "/users", title: "New user", contentType: "application/json" });
    expect(written._templates.create.properties).toEqual([{ name: "name", required: true, prompt: "Name" }, { name: "age", type: "number" }]);
  });

  test("what was read is written and read again", () => {
    const document = read({
      _links: {
        self: { href: "/api/orders", title: "Orders" },
        find: { href: "find{?q,page}#top", templated: true, deprecation: "https://d.example/", profile: "urn:p", hreflang: "de" },
        "key:self": { href: "me" },
        admin: [{ href: "a", name: "one" }, { href: "b{/id}", name: "two" }],
        items: [{ href: "c" }, { href: "d" }],
      },
      _embedded: { order: [{ id: 1, __links: 2, _links: { self: { href: "orders/1" } } }, 3], owner: { name: "Ann" } },
      _templates: { create: { method: "PUT", properties: [{ name: "size", options: { inline: ["s"] } }] }, purge: { method: "DELETE", target: "/all", properties: [{ name: "really", type: "checkbox" }] } },
    });
    const found = again(document);
    expect(found.toJSON()).toEqual(document.toJSON());
    expect(found.keys().sort()).toEqual(document.keys().sort());
    for (const keys of [["find"], ["self"], ["admin", "two"], ["items", 1], ["create"], ["purge"]]) {
      const [one, other] = [document, found].map((each) => new Client().request(each, keys, {}));
      expect([keys, other]).toEqual([keys, one]);
      expect((found.getIn(keys) as Link).description).toBe((document.getIn(keys) as Link).description);
    }
    expect((found.getIn(["order", 0]) as Document).get("_links")).toBe(2);
    expect(JSON.parse(new HALCodec().encode(document))._links.find).toMatchObject({ profile: "urn:p", hreflang: "de", deprecation: "https://d.example/" });
  });

  test("requests of OpenAPI are the same after HAL", () => {
    const parameters = [
      { name: "id", in: "path", required: true, style: "label", schema: {} },
      { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } },
      { name: "tags", in: "query", style: "pipeDelimited", explode: false, schema: { type: "array" } },
      { name: "X-Who", in: "header", schema: {} },
    ];
    const body = { properties: { file: { type: "string" }, notes: { type: "object" } } };
    const content = { "multipart/form-data": { schema: body, encoding: { notes: { contentType: "application/json" } } } };
    const paths = { "/things/{id}": { get: { operationId: "read", parameters }, post: { operationId: "send", parameters, requestBody: { required: true, content } } } };
    const document = new OpenAPICodec().decode(JSON.stringify({ openapi: "3.1.0", info: {}, servers: [{ url: "https://api.example/v1" }], paths }));
    const found = again(document);
    const values = { id: "a", filter: { b: "c d" }, tags: ["e", "f"], "X-Who": "me" };
    const plain = ({ url: target, method, headers }: ReturnType<Client["request"]>): unknown => [method, target, new Headers(headers).get("X-Who")];
    for (const [key, given] of [["read", values], ["send", { ...values, notes: { g: 1 } }]] as const) {
      expect(plain(new Client().request(found, [key], given))).toEqual(plain(new Client().request(document, [key], given)));
    }
    expect(new Client().request(found, ["read"], values).url).toBe("https://api.example/v1/things/.a?filter%5Bb%5D=c%20d&tags=e%7Cf");
    expect((found.get("send") as Link).bodies.map(({ mediaType, required }) => [mediaType, required])).toEqual([["multipart/form-data", true]]);
  });

  test.each([
    ["an error", { x: new DocumentError("Failed") }],
    ["a link in a list of data", { x: [new Link({ url: "/a" }), 1] }],
    ["a link in lists", { x: [[new Link({ url: "/a" })]] }],
    ["a document in lists", { x: [[new Document({ url: "/a" })]] }],
    ["a list without an end", { x: Array.from({ length: 120 }).reduce<unknown>((inner) => [inner], 1) }],
  ])("%s has no place in HAL", (_what, content) => {
    expect(() => new HALCodec().encode(new Document({}, content as Record<string, unknown>))).toThrow(expect.objectContaining({ code: "encode" }));
    expect(() => new HALCodec().encode({})).toThrow("HAL represents documents");
  });
});

describe("JSON Hyper-Schema", () => {
  const root = {
    title: "Apps",
    definitions: {
      app: {
        definitions: { identity: { description: "its id" }, name: { type: "string" } },
        properties: { name: { $ref: "#/definitions/app/definitions/name" } },
        links: [
          { rel: "self", href: "/apps/{(%23%2Fdefinitions%2Fapp%2Fdefinitions%2Fidentity)}", title: "Info" },
          { rel: "self", href: "/apps", title: "List" },
          { rel: "create", href: "/apps", method: "POST", schema: { properties: { name: { type: "string" } }, required: ["name"] } },
          { rel: "search", href: "/apps/search", schema: { properties: { q: {} } } },
          { rel: "broken" },
        ],
      },
    },
    properties: { app: { $ref: "#/definitions/app" } },
    links: [{ rel: "self", href: "https://api.example" }],
  };
  const document = new HyperSchemaCodec().decode(JSON.stringify(root), { baseUrl: "https://h.example/schema" });

  test("links that share a relation all stay, and pointers have readable names", () => {
    expect((document.get("app") as Document).keys()).toEqual(["read", "read_info", "create", "search"]);
    expect(url(document, ["app", "read_info"], { app_identity: "a/b" })).toBe("https://api.example/apps/a%2Fb");
    expect((document.getIn(["app", "read_info"]) as Link).fields[0]!.description).toBe("its id");
    expect(document.issues).toEqual(["#/properties/app/links/4: the link has no URL, so it cannot be called"]);
  });

  test("bodies and queries come from their schemas", () => {
    expect(url(document, ["app", "search"], { q: "x" })).toBe("https://api.example/apps/search?q=x");
    expect(() => url(document, ["app", "create"])).toThrow("name: This parameter is required.");
    const { body } = new Client().request(document, ["app", "create"], { name: "n" });
    expect(new TextDecoder().decode(body as Uint8Array)).toBe('{"name":"n"}');
  });

  test("each method that hints allow is a link", () => {
    const links = [{ rel: "self", href: "https://x.example/a", targetHints: { allow: ["GET", "DELETE"] } }, { rel: "b", href: "/b", targetHints: { allow: ["PUT", "PATCH"] } }];
    const found = new HyperSchemaCodec().decode(JSON.stringify({ links }));
    expect(found.keys().map((key) => [key, (found.get(key) as Link).action])).toEqual([["read", "get"], ["destroy", "delete"], ["b", "put"], ["b_patch", "patch"]]);
  });

  test("an ordinary template of draft-07", () => {
    const schema = { base: "https://x.example/v1/", links: [{ rel: "item", href: "things/{id}{?page}", templateRequired: ["page"], hrefSchema: { properties: { id: { type: "integer" } } }, submissionSchema: { type: "string" } }] };
    const found = new HyperSchemaCodec().decode(JSON.stringify(schema));
    const { url: built, body, method } = new Client().request(found, ["item"], { id: 3, page: 2, data: "x" });
    expect([built, method, new TextDecoder().decode(body as Uint8Array)]).toEqual(["https://x.example/v1/things/3?page=2", "POST", '"x"']);
    expect(() => new Client().request(found, ["item"], { id: 3 })).toThrow("page: This parameter is required.");
  });
});

test.each(["#/definitions/gone", "other.json", "#/definitions/far", "#/definitions/round"])("a link whose body is not there is not called: %s", ($ref) => {
  const definitions = { far: { $ref: "#/definitions/gone" }, round: { $ref: "#/definitions/round" } };
  const links = [{ rel: "x", href: "https://x.example/", method: "POST", schema: { $ref } }];
  const document = new HyperSchemaCodec().decode(JSON.stringify({ definitions, links }));
  expect(document.issues).toEqual([expect.stringContaining("#/links/0: ")]);
  expect(() => new Client().request(document, ["x"])).toThrow("This operation cannot be called: ");
});

test("indented documents say what compact ones say, whatever their numbers and keys are", () => {
  const content = new Map<string, unknown>([["b", 2n ** 70n], ["10", [[], {}, 'a"b\\{[,:]}']], ["1", { x: [1, { y: null }] }], ["l", new Link({ url: "/x" })]]);
  const document = new Document({ url: "http://h/", title: "T" }, content);
  for (const codec of [new HALCodec(), new CoreJSONCodec()]) {
    const text = codec.encode(document, { indent: true });
    const compact = codec.encode(document);
    expect(text.replace(/\n */g, "").replace(/": /g, '":')).toBe(compact);
    expect(JSON.stringify(JSON.parse(text), null, 4)).toBe(JSON.stringify(JSON.parse(compact), null, 4));
    const plain = codec.encode(new Document({ url: "http://h/" }, { a: ["x, y: {z}", []], b: { c: {} } }), { indent: true });
    expect(plain).toBe(JSON.stringify(JSON.parse(plain), null, 4));
    expect(codec.decode(text, { bigint: true }).get("b")).toBe(2n ** 70n);
    expect(() => codec.encode(new Document({}, { a: NaN }), { indent: true })).toThrow("NaN");
  }
});

test("HAL documents keep their description", () => {
  const inner = new Document({ url: "http://h/b", title: "B", description: "Inner" }, {});
  const text = new HALCodec().encode(new Document({ url: "http://h/a", description: "Outer" }, { inner }));
  const again = new HALCodec().decode(text);
  expect([again.description, (again.get("inner") as Document).description]).toEqual(["Outer", "Inner"]);
  expect(new HALCodec().encode(again)).toBe(text);
});

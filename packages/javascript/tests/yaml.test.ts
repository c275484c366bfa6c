/** Descriptions in YAML, by the optional package. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";

import { Client, type Document, type Link, LintelError, OpenAPICodec } from "../src/index.js";
import { followReferences } from "../src/openapi/references.js";
import { OpenAPIYAMLCodec, parseYAML } from "../src/yaml.js";

const DESCRIPTION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0}
servers: [{url: /v1}]
x-shared: &page {name: page, in: query, schema: {type: integer}}
paths:
  /pets:
    get:
      operationId: pets_list
      tags: [pets]
      parameters: [*page, {<<: *page, name: since}]
      responses: {200: {description: no}}
`;

test("a description is read as in JSON", () => {
  const options = { baseUrl: "https://pets.example/openapi.yaml" };
  const document = new OpenAPIYAMLCodec().decode(DESCRIPTION, options);
  expect(new Client().request(document, ["pets", "list"], { page: 2, since: 3 }).url).toBe("https://pets.example/v1/pets?page=2&since=3");
  const json = JSON.stringify(parseYAML(DESCRIPTION));
  const same = new OpenAPICodec().decode(json, options);
  expect(new OpenAPIYAMLCodec().decode(json, options).getIn(["pets", "list"])).toEqual(same.getIn(["pets", "list"]));
  expect(document.getIn(["pets", "list"])).toEqual(same.getIn(["pets", "list"]));
});

test.each(["application/yaml", "application/openapi+yaml; charset=utf-8", "text/x-yaml"])("a client reads it by its media type %s", async (type) => {
  const server = createServer((_request, response) => response.setHeader("Content-Type", type).end(DESCRIPTION));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi`;
  const document = (await new Client({ decoders: [new OpenAPIYAMLCodec()] }).get(url)) as Document;
  expect((document.getIn(["pets", "list"]) as Link).url).toBe(url.replace("openapi", "v1/pets"));
  server.close();
});

test("values are those that the Python client reads", () => {
  const text = "{a: yes, b: 2020-01-01, c: 0o17, e: 1_000, g: on, h: ~, i: .5, 1: x}";
  expect(parseYAML(text)).toEqual({ a: "yes", b: "2020-01-01", c: 15, e: "1_000", g: "on", h: null, i: 0.5, "1": "x" });
});

test("integers beyond 2^53 stay exact if asked for", () => {
  expect(parseYAML("[1, 9007199254740993]", { bigint: true })).toEqual([1, 9007199254740993n]);
});

test.each(["a: [", "a: *b", "{a: 1}}", "a: 1\na: 2"])("text that is no YAML is refused: %s", (text) => {
  expect(() => new OpenAPIYAMLCodec().decode(text)).toThrow(/^Malformed YAML: /);
});

test("aliases of aliases are refused in bounded time", () => {
  const levels = Array.from({ length: 20 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`);
  expect(() => parseYAML(["l0: &l0 [x]", ...levels].join("\n"))).toThrow(LintelError);
});

test("other files may be in YAML", async () => {
  const root = { openapi: "3.1.0", paths: { "/a": { $ref: "paths/a.yaml" } } };
  const document = new OpenAPICodec().decode(JSON.stringify(root), { baseUrl: "https://a.example/openapi.json" });
  const loader = async (): Promise<string> => "get: {operationId: found}";
  const whole = await followReferences(document, { loader, parse: parseYAML });
  expect(whole.keys()).toEqual(["found"]);
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { describe, expect, inject, test } from "vitest";

import { Client, type Document, HTTPTransport, type Link, LintelError, SessionAuthentication, TokenAuthentication, BasicAuthentication } from "../src/index.js";

const SERVICE = inject("service");

async function token(username: string): Promise<string> {
  const client = new Client();
  const schema: Document = await client.get(SERVICE);
  return (await client.action(schema, ["token", "create"], { username, password: "correct horse" })).token;
}

describe("against the example service", () => {
  test("the schema shows every operation", async () => {
    const schema: Document = await new Client().get(SERVICE);
    expect(schema.title).toBe("Snippets");
    const snippets = schema.get("snippets") as Document;
    const names = ["list", "create", "retrieve", "update", "partial_update", "destroy", "highlight"];
    expect(snippets.keys().sort()).toEqual(names.sort());
  });

  test("a query has its filters in the body", async () => {
    const client = new Client();
    const schema: Document = await client.get(`${SERVICE}search/schema/`);
    const group = schema.get("search") as Document;
    const key = group.keys().find((each) => (group.get(each) as Link).action === "query")!;
    const all = await client.action(schema, ["search", key], {});
    const wanted = { search: all[0].title, id__in: [all[0].pk, all[1].pk] };
    expect(client.request(schema, ["search", key], wanted)).toMatchObject({ method: "QUERY", url: `${SERVICE}search/` });
    const found = await client.action(schema, ["search", key], wanted);
    expect(found).toContainEqual(all[0]);
    expect(found.length).toBeLessThanOrEqual(2);
    expect(await client.action(schema, ["search", key], { search: "nowhere in any title" })).toEqual([]);
  });

  test("a list comes in the order of the service", async () => {
    const client = new Client();
    const page = await client.action(await client.get(SERVICE), ["snippets", "list"], { page_size: 3 });
    expect(Object.keys(page)).toEqual(["count", "next", "previous", "results"]);
    expect(page.results).toHaveLength(3);
  });

  test("pages yields the items of all pages", async () => {
    const client = new Client();
    const schema = await client.get(SERVICE);
    const pks: number[] = [];
    for await (const snippet of client.pages(schema, ["snippets", "list"], { page_size: 100 })) pks.push(snippet.pk);
    expect(pks.length).toBe((await client.action(schema, ["snippets", "list"])).count);
    expect(new Set(pks).size).toBe(pks.length);
  });

  test("a refusal says whether credentials were sent", async () => {
    const schema = await new Client().get(SERVICE);
    const { host } = new URL(SERVICE);
    const message = async (client: Client): Promise<string> =>
      client.action(schema, ["snippets", "create"], { code: "1" }).then(String, (error: LintelError) => `${error.status} ${error.message}`);
    const wrong = [
      new Client({ auth: new TokenAuthentication({ scheme: "Token", token: "wrong" }) }),
      new Client({ transports: [new HTTPTransport({ credentials: { [host]: "Token wrong" } })] }),
    ];
    for (const client of wrong) expect(await message(client)).toMatch(new RegExp(`^401 .*\nThe credentials for ${host} were refused$`, "s"));
    expect(await message(new Client())).toMatch(/^401 /);
    expect(await message(new Client())).not.toContain("were refused");
  });

  test.each(["token", "basic", "session"])("%s authentication may write", async (scheme) => {
    const auth =
      scheme === "token"
        ? new TokenAuthentication({ scheme: "Token", token: await token("ada") })
        : scheme === "basic"
          ? new BasicAuthentication({ username: "ada", password: "correct horse" })
          : await loggedIn();
    const client = new Client({ auth });
    const schema = await client.get(SERVICE);
    const made = await client.action(schema, ["snippets", "create"], { code: "print('ü')\n", title: "höhe" });
    expect(made).toMatchObject({ owner: "ada", code: "print('ü')\n", title: "höhe" });
    const path = { id: made.pk };
    expect(await client.action(schema, ["snippets", "partial_update"], { ...path, title: "x" })).toMatchObject({ title: "x" });
    expect(await client.action(schema, ["snippets", "destroy"], path)).toBe(null);
  });

  test("an error has status, headers, content and messages by parameter", async () => {
    const client = new Client({ auth: new BasicAuthentication({ username: "ada", password: "correct horse" }) });
    const schema = await client.get(SERVICE);
    const error = await rejection(client.action(schema, ["snippets", "create"], { code: "", language: "klingon" }));
    expect(error).toMatchObject({ code: "response", status: 400, retryAfter: null });
    expect(error.messages).toEqual({ code: ["This field may not be blank."], language: ['"klingon" is not a valid choice.'] });
    expect(error.content).toEqual(error.messages);
    expect(error.headers.get("Allow")).toContain("POST");
    expect(error.message).toMatch(/^400 Bad Request\ncode: This field/);
  });

  test("HTML is text, and content without a codec is a download", async () => {
    const client = new Client();
    const schema = await client.get(SERVICE);
    const first = (await client.action(schema, ["snippets", "list"])).results[0];
    expect(await client.action(schema, ["snippets", "highlight"], { id: first.pk })).toContain("<html");
    const download = await client.get(`${SERVICE}file/`);
    expect([download.name, download.contentType]).toEqual(["data.zip", "application/zip"]);
    expect((await download.bytes()).length).toBe(100_000);
  });

  test("a call can be aborted", async () => {
    const controller = new AbortController();
    const call = rejection(new Client().get(`${SERVICE}slow/`, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    expect(await call).toMatchObject({ code: "aborted", name: "AbortError" });
  });

  test("reload fetches the document again", async () => {
    const client = new Client();
    const schema = await client.get(SERVICE);
    expect((await client.reload(schema)).keys()).toEqual(schema.keys());
  });
});

test.each(["", "gzip"])("an endless answer ends with an error %s", async (coding) => {
  const zeros = Buffer.alloc(1_000_000);
  const piece = coding ? gzipSync(zeros) : zeros;
  let ended: () => void;
  const closed = new Promise<void>((resolve) => (ended = resolve));
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json", ...(coding && { "Content-Encoding": coding }) });
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more).on("close", () => ended());
    more();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const error = await rejection(new Client({ maxBody: 5_000_000 }).get(url));
  expect(error.message).toContain("is larger than 5000000 bytes");
  await closed; // the connection is given up, not read on
  server.close();
});

async function loggedIn(): Promise<SessionAuthentication> {
  const auth = new SessionAuthentication();
  const client = new Client({ auth });
  await client.get(`${SERVICE}auth/login/`);
  const body = new URLSearchParams({ username: "ada", password: "correct horse" });
  const { Document: Doc, Link } = await import("../src/index.js");
  const login = new Link({ url: `${SERVICE}auth/login/`, action: "post", encoding: "application/x-www-form-urlencoded", fields: ["username", "password", "next"] });
  await client.action(new Doc({ url: SERVICE }, { login }), ["login"], { ...Object.fromEntries(body), next: "/snippets/" });
  return auth;
}

async function rejection(call: Promise<unknown>): Promise<LintelError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LintelError);
  return error as LintelError;
}

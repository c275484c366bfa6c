/** The committed script in real Chromium, on a page under a strict policy. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

import type * as lintelModule from "../src/index.js";
import { launch, login, watched } from "./chromium.js";

const SERVICE = inject("service");

declare global {
  var lintel: typeof lintelModule;
  var coreapi: typeof lintelModule & { auth: typeof lintelModule };
  var schema: lintelModule.Document;
}

let browser: Browser;
let context: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  violations = watched(page);
  await page.goto(`${SERVICE}page/`);
});
afterEach(async () => {
  expect(violations).toEqual([]);
  await context.close();
});

test("the script and schema.js give the page what the specification's example uses", async () => {
  const found = await page.evaluate(async () => {
    const auth = new coreapi.auth.SessionAuthentication({ csrfCookieName: "csrftoken", csrfHeaderName: "X-CSRFToken" });
    const client = new coreapi.Client({ auth });
    return client.action(window.schema, ["snippets", "list"], { page_size: 2 }).then((result) => [window.schema.title, result.results.length]);
  });
  expect(found).toEqual(["Schnipsel — Überblick", 2]);
});

test("a cache answers a page without the network, and nobody with the cookies of the browser", async () => {
  const script = await build({ entryPoints: [fileURLToPath(new URL("../src/caching/cache.ts", import.meta.url))], bundle: true, format: "iife", globalName: "caching", write: false });
  await page.evaluate(script.outputFiles[0]!.text.replace("var caching", "globalThis.caching"));
  const found = await page.evaluate(async () => {
    const cache = new (globalThis as any).caching.Cache();
    let count = 0;
    const counted: typeof fetch = async (...call) => {
      count++;
      const response = await fetch(...call);
      const headers = new Headers(response.headers);
      headers.set("Cache-Control", "max-age=60");
      headers.delete("Vary");
      return new Response(response.body, { status: response.status, headers });
    };
    const counts = [];
    for (const auth of [null, null, new lintel.SessionAuthentication(), new lintel.SessionAuthentication()]) {
      const client = new lintel.Client({ auth, transports: [new lintel.HTTPTransport({ cache, fetch: counted })] });
      const result = await client.action(window.schema, ["snippets", "list"], { page_size: 2 });
      counts.push([count, result.results.length]);
    }
    return counts;
  });
  expect(found).toEqual([[1, 2], [1, 2], [2, 2], [3, 2]]);
});

describe("authentication", () => {
  test("session: unsafe requests send the current CSRF cookie", async () => {
    await login(context, SERVICE);
    const found = await page.evaluate(async () => {
      const client = new lintel.Client({ auth: new lintel.SessionAuthentication() });
      const made = await client.action(window.schema, ["snippets", "create"], { code: "1", title: "é" });
      document.cookie = "csrftoken=wrong; path=/";
      const refused = await client.action(window.schema, ["snippets", "destroy"], { id: made.pk }).catch((error) => error.status);
      return [made.owner, made.title, refused];
    });
    expect(found).toEqual(["ada", "é", 403]);
  });

  test("without session authentication no cookie is sent", async () => {
    await login(context, SERVICE);
    const status = await page.evaluate(() => new lintel.Client().action(window.schema, ["snippets", "create"], { code: "1" }).catch((error) => error.status));
    expect(status).toBe(401);
  });

  test("token and basic", async () => {
    const owners = await page.evaluate(async () => {
      const names = { username: "ada", password: "correct horse" };
      const schema = await new lintel.Client().get("/");
      const { token } = await new lintel.Client().action(schema, ["token", "create"], names);
      const auths = [new lintel.TokenAuthentication({ scheme: "Token", token }), new lintel.BasicAuthentication(names)];
      return Promise.all(auths.map(async (auth) => (await new lintel.Client({ auth }).action(schema, ["snippets", "create"], { code: "1" })).owner));
    });
    expect(owners).toEqual(["ada", "ada"]);
  });
});

test("lists, page after page", async () => {
  const read = () => page.evaluate(async () => {
    const client = new lintel.Client();
    const count = async () => (await client.action(window.schema, ["snippets", "list"])).count;
    const before = await count();
    const keys = [];
    for await (const snippet of client.pages(window.schema, ["snippets", "list"], { page_size: 100 })) keys.push(snippet.pk);
    return { keys: keys.length, different: new Set(keys).size, before, after: await count() };
  });
  let found = await read();
  const whole = () => ({ keys: found.before, different: found.before, before: found.before, after: found.before });
  // Other files of tests write to the same service, and one row that goes moves those behind it to other pages.
  for (let tries = 0; JSON.stringify(found) !== JSON.stringify(whole()) && tries < 20; tries += 1) found = await read();
  expect(found).toEqual(whole());
});

test("events, as they arrive, over several connections", async () => {
  const found = await page.evaluate(async () => {
    const document = new lintel.Document({ url: location.href }, { events: new lintel.Link({ url: "/events/", fields: ["endless"] }) });
    const client = new lintel.Client();
    const events: string[] = [];
    for await (const { data, id } of client.stream(document, ["events"])) events.push(`${id} ${data}`);
    let count = 0;
    for await (const _ of client.stream(document, ["events"], { endless: 1 }, { lastEventId: "9" })) if ((count += 1) === 3) break;
    return [events, count, await (await fetch("/events/closed/")).json()];
  });
  expect(found).toEqual([["1 bär 1", "2 bär 2", "3 bär 3"], 3, true]);
});

test("uploads with progress, and downloads", async () => {
  const found = await page.evaluate(async () => {
    const { Client, Document, Link } = lintel;
    const upload = new Link({ url: "/upload/", action: "post", encoding: "multipart/form-data", fields: ["file", "note"] });
    const document = new Document({ url: location.href }, { upload, file: new Link({ url: "/file/" }) });
    const progress: number[] = [];
    const file = new File([new Uint8Array(200_000)], "bär.bin");
    const answer = await new Client().action(document, ["upload"], { file, note: "ü" }, { onUploadProgress: ({ loaded }) => progress.push(loaded) });
    const plain = await new Client().action(document, ["upload"], { file });
    const download = await new Client().action(document, ["file"]);
    return { answer, plain, isDone: progress.at(-1)! > 200_000, name: download.name, size: (await download.file()).size };
  });
  expect(found).toEqual({
    answer: { files: { file: ["bär.bin", 200_000] }, data: { note: "ü" } },
    plain: { files: { file: ["bär.bin", 200_000] }, data: {} },
    isDone: true,
    name: "data.zip",
    size: 100_000,
  });
});

test("errors contain the service's messages; a call can be aborted", async () => {
  const found = await page.evaluate(async () => {
    const auth = new lintel.BasicAuthentication({ username: "ada", password: "correct horse" });
    const error = await new lintel.Client({ auth }).action(window.schema, ["snippets", "create"], {}, { validate: false }).catch((reason) => reason);
    const aborted = await new lintel.Client().get("/slow/", { signal: AbortSignal.timeout(100) }).catch((reason) => reason.code);
    return [error instanceof lintel.LintelError, error.status, error.messages, aborted];
  });
  expect(found).toEqual([true, 400, { code: ["This field is required."] }, "timeout"]);
});

describe("redirects, which a page cannot see", () => {
  const call = (to: string): Promise<unknown> =>
    page.evaluate(async (target) => {
      const { Client, Document, Link, TokenAuthentication } = lintel;
      const link = new Link({ url: `/away/?to=${encodeURIComponent(target)}` });
      const client = new Client({ auth: new TokenAuthentication({ scheme: "X", token: "secret" }) });
      const answer = await client.action(new Document({ url: location.href }, { link }), ["link"]).catch((error) => error.code);
      return answer.headers?.authorization ?? answer;
    }, to);

  test("credentials follow on the same origin", async () => {
    expect(await call("/echo/")).toBe("X secret");
  });

  test("and to no other", async () => {
    // Another port is another origin, which the page's policy blocks.
    expect(await call("http://localhost:1/echo/")).toBe("network");
    violations = violations.filter((text) => !text.includes("localhost:1"));
  });
});

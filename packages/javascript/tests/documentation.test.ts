/** The documentation page of the server in real Chromium, under a strict policy. */
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";

import { launch, login, watched } from "./chromium.js";

const SERVICE = inject("service");
const SECRET = "correct horse";

let browser: Browser;
let context: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  page = await context.newPage();
  violations = watched(page);
  await page.goto(`${SERVICE}docs/`);
});
afterEach(async () => {
  expect(violations).toEqual([]);
  await context.close();
});

/** Fill the form of an operation and send it; return the status and the body that the page shows. */
async function send(operation: string, values: Record<string, string> = {}): Promise<[string, any]> {
  await page.click(`[data-operation="${operation}"]`);
  for (const [name, value] of Object.entries(values)) await page.getByLabel(name, { exact: false }).first().fill(value);
  await page.click("#interact [type=submit]");
  await page.waitForSelector("#interact .outcome:not([hidden]) .status:not(:empty)");
  await page.waitForSelector("#interact [type=submit]:not([disabled])");
  const body = await page.textContent("#interact .body");
  return [(await page.textContent("#interact .status"))!, body && JSON.parse(body)];
}

async function authenticate(kind: string, values: Record<string, string> = {}): Promise<void> {
  await page.selectOption("[data-choose=auth]", kind);
  for (const [name, value] of Object.entries(values)) await page.fill(`dialog[data-auth=${kind}] [name=${name}]`, value);
  await page.click(`dialog[data-auth=${kind}] [type=submit]`);
}

/** Everything that the tab holds beside the memory of its script. */
function kept(): Promise<string> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value);
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, fields, document.documentElement.outerHTML]);
  });
}

test.each([
  [390, 844],
  [1600, 900],
])("at %i by %i pixels the answer stands in sight, with status, time, size and headers", async (width, height) => {
  await page.setViewportSize({ width, height });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  const [status, body] = await send("snippets-list", { page_size: "2" });
  expect([status, body.results.length]).toEqual(["200 OK", 2]);
  const box = (await page.locator("#interact .body").boundingBox())!;
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.y + 100).toBeLessThan(height);
  expect(await page.textContent("#interact .time")).toMatch(/^\d+ ms$/);
  expect(await page.textContent("#interact .size")).toMatch(/^[\d,]+ bytes$/);
  expect(await page.textContent("#interact .response-headers")).toContain("content-type: application/json");
  expect(await page.textContent("#interact .request")).toContain(`GET ${SERVICE}snippets/?page_size=2`);
});

test("basic authentication is sent, and not stored", async () => {
  await authenticate("basic", { username: "ada", password: SECRET });
  const [status, body] = await send("snippets-create", { code: "1" });
  expect([status, body.owner]).toEqual(["201 Created", "ada"]);
  const held = await kept();
  expect(held).not.toContain(SECRET);
  expect(held).not.toContain(btoa(`ada:${SECRET}`));
  await page.reload();
  expect(await page.inputValue("[data-choose=auth]")).toBe("");
  expect((await send("snippets-create", { code: "1" }))[0]).toBe("401 Unauthorized");
});

test("a token is sent, and not stored", async () => {
  const { token } = await (await fetch(`${SERVICE}token/`, { method: "POST", body: new URLSearchParams({ username: "ada", password: SECRET }) })).json();
  await authenticate("token", { token });
  const [status, body] = await send("snippets-create", { code: "1" });
  expect([status, body.owner]).toEqual(["201 Created", "ada"]);
  expect(await kept()).not.toContain(token);
});

test("a language is chosen beside an operation, holds for all of them, and is remembered", async () => {
  const tab = (id: string, language: string) => page.locator(`#${id} [role=tab][data-language=${language}]`);
  expect(await page.isVisible("#users-list [data-sample=curl]")).toBe(true);
  await page.waitForLoadState("networkidle");
  const chosen = tab("snippets-create", "python");
  await chosen.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const before = await chosen.boundingBox();
  await chosen.click();
  // Browsers scroll by whole pixels.
  expect(Math.abs((await chosen.boundingBox())!.y - before!.y)).toBeLessThanOrEqual(1);
  for (const id of ["snippets-create", "users-list"]) {
    expect(await tab(id, "python").getAttribute("aria-selected")).toBe("true");
    expect(await page.isVisible(`#${id} [data-sample=python]`)).toBe(true);
    expect(await page.isVisible(`#${id} [data-sample=curl]`)).toBe(false);
  }
  // By keyboard: arrows move and choose, and one tab is in the order of the Tab key.
  await page.keyboard.press("ArrowRight");
  expect(await tab("snippets-create", "shell").getAttribute("aria-selected")).toBe("true");
  expect(await tab("snippets-create", "shell").evaluate((element) => document.activeElement === element)).toBe(true);
  expect(await page.locator("#snippets-create [role=tab][tabindex='-1']").count()).toBe(2);
  await page.keyboard.press("End");
  await page.reload();
  expect(await page.isVisible("#users-list [data-sample=python]")).toBe(true);
  await page.evaluate(() => localStorage.setItem("lintel-docs-language", 'x"]'));
  await page.reload();
  expect(await page.isVisible("#users-list [data-sample=curl]")).toBe(true);
});

test.each([360, 1400])("code is cut nowhere at %i pixels", async (width) => {
  await page.setViewportSize({ width, height: 900 });
  for (const language of ["shell", "javascript", "python"]) {
    await page.locator(`#snippets-list [role=tab][data-language=${language}]`).click();
    const cut = () => [...document.querySelectorAll("main pre")].filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent);
    expect(await page.evaluate(cut)).toEqual([]);
  }
});

test("a sample of the response stands beside each operation", async () => {
  const [operations, answers] = [page.locator(".operation"), page.locator(".operation .samples .badge.good:visible")];
  expect(await answers.count()).toBeGreaterThanOrEqual(await operations.count());
});

test("the session of a reader who is logged in is chosen already", async () => {
  expect(await page.inputValue("[data-choose=auth]")).toBe("");
  await login(context, SERVICE);
  await page.reload();
  expect(await page.inputValue("[data-choose=auth]")).toBe("session");
  const [status, body] = await send("snippets-create", { code: "1" });
  expect([status, body.owner]).toEqual(["201 Created", "ada"]);
  await page.click("#interact [data-close]");
  await page.selectOption("[data-choose=auth]", "");
  expect((await send("snippets-create", { code: "1" }))[0]).toBe("401 Unauthorized");
  await page.click("#interact [data-close]");
  await authenticate("session");
  expect((await send("snippets-create", { code: "1" }))[0]).toBe("201 Created");
});

test("a key in a header of its own is sent and shown nowhere; other headers stay for the next operation", async () => {
  await authenticate("key", { key: "open sesame" });
  const [status, body] = await send("tenant-list", { "X-Tenant": "acme" });
  expect([status, body]).toEqual(["200 OK", { user: "partner", tenant: "acme" }]);
  const request = await page.textContent("#interact .request");
  expect(request).toMatch(/x-partner-key: …$/m);
  expect(request).toMatch(/x-tenant: acme$/m);
  expect(await kept()).not.toContain("sesame");
  // The next operation starts from the header that was sent last.
  await page.click("#interact [data-close]");
  expect(await send("tenant-destroy")).toEqual(["200 OK", { deleted: "acme" }]);
});

test("files are chosen, one or several, and sent", async () => {
  await page.click(`[data-operation="attach-create"]`);
  const inputs = page.locator("#interact input[type=file]");
  expect(await inputs.evaluateAll((found) => found.map((input) => (input as HTMLInputElement).multiple))).toEqual([false, true]);
  const file = (name: string, size: number) => ({ name, mimeType: "application/zip", buffer: Buffer.alloc(size) });
  await inputs.nth(0).setInputFiles(file("a.zip", 10));
  await inputs.nth(1).setInputFiles([file("b.zip", 20), file("c.zip", 30)]);
  await page.click("#interact [type=submit]");
  await page.waitForSelector("#interact .outcome:not([hidden])");
  expect(JSON.parse((await page.textContent("#interact .body"))!).files).toEqual([["a.zip", 10], ["b.zip", 20], ["c.zip", 30]]);
});

test("errors of the service are shown beside the field", async () => {
  await authenticate("basic", { username: "ada", password: SECRET });
  const [status] = await send("snippets-create", { code: "1", title: "x".repeat(101) });
  expect(status).toBe("400 Bad Request");
  const field = page.locator("#interact [aria-invalid=true]");
  expect(await field.evaluate((input) => [document.activeElement === input, document.getElementById(input.getAttribute("aria-describedby")!.split(" ")[0])!.textContent])).toEqual([
    true,
    "Ensure this field has no more than 100 characters.",
  ]);
});

test("a page without schema.js fetches its own URL", async () => {
  await page.goto(`${SERVICE}docs/alone/`);
  expect((await send("users-list"))[0]).toBe("200 OK");
});

test("the root of the service leads to the page, which comes under the policy", async () => {
  await page.goto(SERVICE);
  const [response] = await Promise.all([page.waitForResponse(`${SERVICE}docs/`), page.click(`a[href="${SERVICE}docs/"]`)]);
  expect(response.headers()["content-security-policy"]).toBe("default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'");
});

test("a user name that HTTP Basic cannot express is rejected where it was typed", async () => {
  await authenticate("basic", { username: "a:b", password: SECRET });
  const message = await page.locator("dialog[data-auth=basic] [name=username]").evaluate((input) => (input as HTMLInputElement).validationMessage);
  expect(message).toContain("colon");
  await page.press("dialog[data-auth=basic] [name=username]", "Escape");
  // A dialog tells that it was closed a moment later.
  await expect.poll(() => page.inputValue("[data-choose=auth]")).toBe("");
  expect(await kept()).not.toContain(SECRET);
});

test("the code in JavaScript runs as printed", async () => {
  await login(context, SERVICE);
  const printed = (selector: string) => page.locator(selector).first().textContent();
  const start = await printed("[data-intro=javascript]");
  const operations = ["snippets-list", "snippets-create", "snippets-retrieve", "users-list", "attach-create"];
  const calls = await Promise.all(operations.map((id) => printed(`#${id} [data-sample=javascript]`)));
  await page.goto(`${SERVICE}page/`);
  const results: any[] = [];
  for (const call of calls) results.push(await page.evaluate(`(async () => { ${start}\n${call}\nreturn result; })()`));
  const [list, made, one, users, attached] = results;
  expect([list.results.length > 0, made.code, made.owner, one.pk, users.count]).toEqual([true, "AB12", "ada", 1, 3]);
  expect(attached.files).toEqual([["file.bin", 7]]);
});

test("all requests are sent by the client", () => {
  const source = (name: string) => readFileSync(new URL(`../browser/documentation/${name}.ts`, import.meta.url), "utf8");
  expect(source("trying")).toContain("client.action(");
  for (const name of ["trying", "fields", "searching"]) expect(source(name)).not.toMatch(/\bfetch\(|XMLHttpRequest|encodeURIComponent/);
});

/** Using the pages in real Chromium: nothing changes unasked, and nothing typed is lost. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { launch, watched } from "./chromium.js";
import { type Gallery, open, visitor } from "./gallery.js";

let browser: Browser;
let gallery: Gallery;
let member: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launch(), open()]);
  member = await visitor(browser, gallery);
  await member.grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterAll(async () => {
  await browser?.close();
  gallery?.stop();
});
beforeEach(async () => {
  page = await member.newPage();
  violations = watched(page);
});
afterEach(async () => {
  await page.close();
  expect(violations).toEqual([]);
});

const go = (path: string) => page.goto(gallery.address + path, { waitUntil: "load" });
const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.className);
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const HTML_FORM = "#post form[enctype]";
const RAW_FORM = "#post form:not([enctype])";

async function openRaw(form = RAW_FORM): Promise<void> {
  await page.evaluate((selector) => document.querySelector(selector)?.closest("details")?.setAttribute("open", ""), form);
}

test("malformed JSON is kept, and the cursor moves to the mistake", async () => {
  await go("authors/");
  await openRaw();
  const typed = '{\n  "name": kept\n}';
  await page.fill(`${RAW_FORM} textarea`, typed);
  await page.click(`${RAW_FORM} [type=submit]`);
  await page.waitForSelector(`${RAW_FORM} [role=alert]`);
  const input = page.locator(`${RAW_FORM} textarea`);
  expect(await input.inputValue()).toBe(typed);
  expect(await input.getAttribute("aria-invalid")).toBe("true");
  expect(await input.evaluate((area: HTMLTextAreaElement) => [document.activeElement === area, area.selectionStart])).toEqual([true, typed.indexOf("kept")]);
  expect(await page.textContent(`#${await input.getAttribute("aria-describedby")}`)).toMatch(/HTTP 400 Bad Request: JSON parse error .* line 2 column 11/);
  expect(await page.textContent(".user")).toContain("ada");
  await page.fill(`${RAW_FORM} textarea`, typed.replace("kept", '"kept"'));
  await page.click(`${RAW_FORM} [type=submit]`);
  await page.waitForSelector("text=HTTP 201");
});

test("a rejected form keeps what was typed, and its errors get the focus", async () => {
  await go("books/");
  await page.fill(`${HTML_FORM} [name=title]`, "Typed");
  await page.fill(`${HTML_FORM} [name=notes]`, "kept");
  expect(await page.inputValue(`${HTML_FORM} [name=author]`)).toBe("");
  await page.selectOption(`${HTML_FORM} [name=author]`, { label: "Yoko Ogawa" });
  await page.click(`${HTML_FORM} [type=submit]`);
  await page.waitForSelector(".error-summary");
  expect(await focused()).toContain("error-summary");
  expect(await page.inputValue(`${HTML_FORM} [name=notes]`)).toBe("kept");
  expect(await page.textContent(`${HTML_FORM} [name=author] :checked`)).toBe("Yoko Ogawa");
  await page.click(".error-summary a");
  expect(await focused()).toBe("post-pages");
  const pages = page.locator(`${HTML_FORM} [name=pages]`);
  expect(await pages.getAttribute("aria-invalid")).toBe("true");
  expect(await page.textContent("#post-pages-error")).toBe("A valid integer is required.");
});

test("a failed request loses no input", async () => {
  await go("books/");
  await page.fill(`${HTML_FORM} [name=title]`, "Typed");
  await page.route("**/books/", (route) => route.abort());
  await page.click(`${HTML_FORM} [type=submit]`);
  await page.waitForSelector(`${HTML_FORM} [role=alert]`);
  await page.unroute("**/books/");
  expect(await page.inputValue(`${HTML_FORM} [name=title]`)).toBe("Typed");

  await page.route("**/books/", (route) => route.fulfill({ status: 503, contentType: "text/html", body: "<h1>Busy</h1>" }));
  await page.click(`${HTML_FORM} [type=submit]`);
  await page.waitForSelector(`${HTML_FORM} [role=alert]:has-text("503")`);
  expect(await page.inputValue(`${HTML_FORM} [name=title]`)).toBe("Typed");
});

test("editing a title changes nothing else", async () => {
  await go("books/3/");
  const before = await page.textContent("pre.content");
  await page.fill("#put form[enctype] [name=title]", "Another title");
  await page.click("#put form[enctype] [type=submit]");
  await page.waitForSelector("text=PUT /books/3/");
  const after = await page.textContent("pre.content");
  expect(after).toBe(before!.replace(/"title": "[^"]*"/, '"title": "Another title"'));
});

test("after a deletion the page says so and links to the list", async () => {
  page.on("dialog", (dialog) => void dialog.accept());
  await go("books/57/");
  await page.click(".method-delete");
  await page.waitForSelector("[role=status]");
  expect(await page.getAttribute("[role=status] a", "href")).toBe("/books/");
  expect(page.url()).toBe(`${gallery.address}books/`);
  expect(await page.locator("#put, .method-delete").count()).toBe(0);

  await go("books/56/?format=admin");
  await page.click(".method-delete");
  await page.waitForSelector("[role=status]");
  expect(page.url()).toBe(`${gallery.address}books/?format=admin`);
});

test("an action that takes POST opens its form", async () => {
  await go("books/4/");
  await page.locator(".actions > .menu > summary").last().click();
  await page.click(".menu a:text-is('Lend')");
  await page.waitForSelector("#post");
  expect(await page.locator(".status").isVisible()).toBe(false);
  const [form, answer] = await Promise.all(["#post", ".answer"].map((each) => page.locator(each).boundingBox()));
  expect(form!.y).toBeLessThanOrEqual(answer!.y);
  await page.click(`${HTML_FORM} [type=submit]`);
  await page.waitForSelector("text=HTTP 200 OK");
  expect(await page.textContent("pre.content")).toMatch(/"lent": true/);
});

test("anonymous users log in on the page", async () => {
  const guest = await visitor(browser, gallery, { guest: true });
  const other = await guest.newPage();
  await other.goto(`${gallery.address}staff/?a=b`);
  await other.fill(".login-here [name=username]", "ada");
  await other.fill(".login-here [name=password]", "correct horse");
  await Promise.all([other.waitForNavigation(), other.click(".login-here button")]);
  expect(other.url()).toBe(`${gallery.address}staff/?a=b`);
  expect(await other.textContent(".user")).toContain("ada");
  expect(await other.locator(".login-here").count()).toBe(0);
  await guest.close();
});

test("Escape closes a menu and goes back to its button", async () => {
  await go("books/4/");
  await page.locator(".actions > .menu > summary").last().click();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  expect(await page.locator(".menu[open]").count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.matches(".menu > summary"))).toBe(true);
});

test("the response, its request and a raw body can be copied", async () => {
  await go("books/4/");
  const text = await page.textContent("pre.content");
  await page.click(".tools > [data-copies]");
  expect(await clipboard()).toBe(text);
  await page.click(".as-curl > summary");
  await page.click(".as-curl [data-copies]");
  expect(await clipboard()).toBe(`curl --header 'Accept: application/json' ${gallery.address}books/4/`);
  await openRaw("#put form:not([enctype])");
  await page.fill("#put textarea[data-override]", '{"title": "it\'s"}');
  await page.click("#put [data-curl]");
  expect(await clipboard()).toBe(`curl --request PUT --header 'Content-Type: application/json' --data-binary '{"title": "it'\\''s"}' '${gallery.address}books/4/'`);
});

test("JSON can be collapsed, and keeps its text and links", async () => {
  await go("books/");
  const served = (await (await member.request.get(`${gallery.address}books/`, { headers: { Accept: "text/html" } })).text()).match(/<pre class="content"[^>]*>([\s\S]*?)<\/pre>/)![1]!;
  const plain = await page.evaluate((html) => new DOMParser().parseFromString(html, "text/html").body.textContent, served);
  expect(await page.textContent("pre.content")).toBe(plain);
  const links = await page.locator("pre.content a").count();
  expect(links).toBe(served.match(/<a /g)!.length);
  expect(await page.locator(".fold-switch").count()).toBeGreaterThan(20);
  const first = page.locator(".fold-switch").nth(1);
  await first.click();
  expect(await page.locator("pre.content a").first().isVisible()).toBe(true);
  expect(await first.getAttribute("aria-expanded")).toBe("false");
  expect(await page.textContent("pre.content")).toBe(plain);
  await page.locator(".fold-switch").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await first.getAttribute("aria-expanded")).toBe("true");
});

test("filters, search and ordering preserve each other", async () => {
  await go("books/?genre=novel&ordering=-pages&page=1");
  await page.fill(".filter [name=search]", "salt");
  await Promise.all([page.waitForNavigation(), page.press(".filter [name=search]", "Enter")]);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ genre: "novel", ordering: "-pages", search: "salt" });
  await Promise.all([page.waitForNavigation(), page.click(".list-tools .clear")]);
  expect(page.url()).toBe(`${gallery.address}books/`);
});

test("a row of a large table is searched for and chosen by keyboard", async () => {
  await go("large/");
  const box = page.locator("#post-first");
  expect(await page.getAttribute(`${HTML_FORM} [name=first]`, "type")).toBe("hidden");
  await box.fill("salt");
  await page.waitForSelector("[role=option]");
  expect(await page.locator("[role=option]").allTextContents()).toEqual(["Salt", ...[2, 3, 4, 5, 6].map((volume) => `Salt, volume ${volume}`)]);
  await box.press("ArrowDown");
  await box.press("ArrowDown");
  expect(await page.textContent(`#${await box.getAttribute("aria-activedescendant")}`)).toBe("Salt, volume 2");
  await box.press("Enter");
  expect(await box.inputValue()).toBe("Salt, volume 2");
  expect(await page.inputValue(`${HTML_FORM} [name=first]`)).toBe("14");

  await box.fill("no such row");
  await page.waitForSelector("[role=option][aria-disabled]");
  await box.press("Escape");
  expect(await page.locator("[role=listbox]").first().isVisible()).toBe(false);
  await box.blur();
  expect(await box.inputValue()).toBe("Salt, volume 2");

  const several = page.locator("#post .choices-search [role=combobox]").nth(1);
  await several.press("ArrowDown");
  await page.click("[role=option]:text-is('Next page')");
  await page.waitForSelector("[role=option]:text-is('A Room Above the Harbour, volume 4')");
  await page.click("[role=option]:text-is('A Room Above the Harbour, volume 4')");
  await page.click(`${HTML_FORM} [type=submit]`);
  await page.waitForSelector("text=POST /large/");
  expect(JSON.parse((await page.textContent("pre.content"))!)).toEqual({ first: ["14"], books: ["31"] });
});

test("lists and dictionaries are edited item by item; an error keeps the file", async () => {
  await go("orders/");
  const group = (name: string) => page.locator(`#post-${name}`);
  const add = (name: string) => group(name).locator("> [data-adds]").click();
  await add("words");
  await add("words");
  await add("words");
  await page.fill("[name='words[0]']", "one");
  await page.fill("[name='words[1]']", "two");
  await page.fill("[name='words[2]']", "three");
  await group("words").locator("[data-removes]").nth(1).click();
  await add("sizes");
  await group("sizes").locator("[data-key]").fill("width");
  await page.fill("[name='sizes.width']", "3");
  await add("lines");
  await group("lines-0-marks").locator("> [data-adds]").click();
  await page.fill("[name='lines[0]marks[0]']", "deep");
  await page.setInputFiles(`${HTML_FORM} [name=file]`, { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await page.click(`${HTML_FORM} > [type=submit]`);
  await page.waitForSelector(".error-summary");
  await page.fill("[name='lines[0]title']", "First");
  await page.click(`${HTML_FORM} > [type=submit]`);
  await page.waitForSelector("text=HTTP 200 OK >> nth=0");
  await page.waitForFunction(() => /"deep"/.test(document.querySelector("pre.content")?.textContent ?? ""));
  expect(JSON.parse((await page.textContent("pre.content"))!)).toEqual({ words: ["one", "three"], sizes: { width: 3 }, lines: [{ title: "First", marks: ["deep"] }], file: "a.txt" });
});

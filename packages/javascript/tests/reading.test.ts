/** Using the documentation page: by keyboard, by URL, without a script, in both directions. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { launch, watched } from "./chromium.js";
import { type Gallery, open } from "./gallery.js";

let browser: Browser;
let gallery: Gallery;
let context: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  // The hardest case for a session: no script can read its CSRF token.
  [browser, gallery] = await Promise.all([launch(), open("CSRF_USE_SESSIONS", "CSRF_COOKIE_HTTPONLY", "SESSION_COOKIE_HTTPONLY")]);
});
afterAll(async () => {
  await browser?.close();
  gallery?.stop();
});

async function visit(path: string, options = {}): Promise<void> {
  context = await browser.newContext({ locale: "en", viewport: { width: 1600, height: 900 }, ...options });
  page = await context.newPage();
  violations = watched(page);
  await page.goto(gallery.address + path);
}
afterEach(async () => {
  expect(violations).toEqual([]);
  await context.close();
});

const focused = () => page.evaluate(() => document.activeElement!.id);

describe("on the whole page", () => {
  beforeEach(() => visit("docs/"));

  test("an operation is found by keyboard", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("books LEND");
    expect(await page.locator("[role=option]").allTextContents()).toEqual(["POSTBooks / Lend the book/books/{id}/lend/"]);
    expect(await page.locator("[role=combobox]").getAttribute("aria-activedescendant")).toBe("docs:option-0");
    expect(await page.textContent("[data-found]")).toBe("1 found");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement!.id === "books-lend");
    expect(await page.evaluate(() => location.hash)).toBe("#books-lend");
    const top = await page.locator("#books-lend").evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(200);
  });

  test("arrows choose among the results, and Escape closes them", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("authors");
    const chosen = () => page.textContent("[role=option][aria-selected=true]");
    expect(await chosen()).toContain("List authors");
    await page.keyboard.press("ArrowDown");
    expect(await chosen()).toContain("Retrieve an author");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await chosen()).toBe(await page.locator("[role=option]").last().textContent());
    await page.keyboard.press("Escape");
    expect(await page.isVisible("[role=listbox]")).toBe(false);
    await page.fill("[role=combobox]", "no such thing");
    expect(await page.textContent("[data-found]")).toBe("Nothing found.");
  });

  test("the search key is an ordinary character in inputs", async () => {
    await page.click("[data-operation=books-list]");
    await page.locator("#interact input").first().press("/");
    expect(await focused()).not.toBe("docs:search");
  });

  test("a request is made by keyboard alone, and the way back leads to where it began", async () => {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement!.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("docs:content");
    const place = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset["operation"]);
    for (let count = 0; count < 20 && !(await place()); count += 1) await page.keyboard.press("Tab");
    expect(await place()).toBe("authors-list");
    await page.keyboard.press("Enter");
    await page.locator("#interact input").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#interact .status:not(:empty)");
    expect(await page.textContent("#interact .status")).toBe("200 OK");
    await page.keyboard.press("Escape");
    expect(await page.isVisible("#interact")).toBe(false);
    expect(await place()).toBe("authors-list");
  });

  test("code is copied as printed", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("#books-create [role=tab][data-language=python]");
    const sample = page.locator("#books-create .sample[data-lang=python]");
    await sample.locator("[data-copy]").click();
    await page.waitForSelector("text=Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await sample.locator("pre").textContent());
  });

  test("people log in on the page, even if scripts cannot read the CSRF token", async () => {
    const enter = async (password: string) => {
      await page.fill("dialog[data-auth=session] [name=username]", "ada");
      await page.fill("dialog[data-auth=session] [name=password]", password);
      await page.click("dialog[data-auth=session] [type=submit]");
    };
    await page.selectOption("[data-choose=auth]", "session");
    await enter("wrong");
    await page.waitForSelector("text=The login was refused.");
    await enter("correct horse");
    await page.waitForSelector("dialog[data-auth=session]", { state: "hidden" });
    expect(await page.inputValue("[data-choose=auth]")).toBe("session");
    expect(await lend()).toBe("200 OK");

    await page.reload();
    expect(await page.inputValue("[data-choose=auth]")).toBe("session");
    expect(await lend()).toBe("200 OK");
    await page.selectOption("[data-choose=auth]", "");
    expect(await lend()).toBe("403 Forbidden");
    await page.selectOption("[data-choose=auth]", "session");
    expect(await page.textContent("dialog[data-auth=session] [data-for=user]")).toContain("ada");
    await page.click("dialog[data-auth=session] [type=submit]");
    await page.waitForSelector("dialog[data-auth=session]", { state: "hidden" });
    expect(await lend()).toBe("200 OK");
  });
});

async function lend(): Promise<string> {
  await page.click("[data-operation=books-lend]");
  await page.locator("#interact").getByLabel("id").first().fill("4");
  await page.locator("#interact").getByLabel("title").first().fill("Lent");
  await page.locator("#interact").getByLabel("author").first().fill(`${gallery.address}authors/1/`);
  await page.locator("#interact").getByLabel("pages").first().fill("3");
  await page.click("#interact [type=submit]");
  await page.waitForSelector("#interact .outcome:not([hidden]) .status:not(:empty)");
  const status = await page.textContent("#interact .status");
  await page.click("#interact [data-close]");
  return status!;
}

describe("of more than 800 operations", () => {
  test("each is one line until it is opened, and its address opens it", async () => {
    const asked: string[] = [];
    await visit("many/#shelf50-create");
    page.on("request", (request) => asked.push(request.url()));
    await page.waitForSelector("#shelf50-create .values");
    expect(await focused()).toBe("shelf50-create");
    expect(await page.locator("article").count()).toBe(1);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(801 * 8);
    await page.click('.sidebar [href="?operation=shelf50-list"]');
    await page.waitForSelector("#shelf50-list [data-operation]");
    await page.click('.sidebar [href="?operation=shelf50-list"]');
    expect(asked.filter((url) => url.includes("operation=shelf50-list"))).toHaveLength(1);
    // They are in the order of the navigation, whichever was loaded first.
    expect(await shownIn("shelf50")).toEqual(["shelf50-list", "shelf50-create"]);
    await page.click("[data-operation=shelf50-list]");
    expect(await page.isVisible("#interact")).toBe(true);
    await page.click("#interact [data-close]");
    await page.goBack();
    expect(await page.evaluate(() => location.hash)).toBe("#shelf50-create");
  });

  test("a group is shown in one piece, and keeps what is open", async () => {
    await visit("many/#shelf50-read");
    await page.waitForSelector("#shelf50-read .values");
    await page.locator("#shelf50-read").evaluate((element) => (element.dataset["mine"] = "yes"));
    await page.click('main [href="?group=shelf50#shelf50"]');
    await page.waitForSelector("#shelf50-create");
    const listed = await page.locator('.sidebar [href^="?operation=shelf50-"]').evaluateAll((links) => links.map((each) => each.getAttribute("href")!.slice(11)));
    expect(await shownIn("shelf50")).toEqual(listed);
    expect(await page.locator("#shelf50-read").getAttribute("data-mine")).toBe("yes");
    expect(await page.locator('main [href="?group=shelf50#shelf50"]').count()).toBe(0);
    expect(await focused()).toBe(listed[0]);
  });

  test("requests are sent with the description of their operation alone", async () => {
    const asked: string[] = [];
    await visit("many/#shelf50-list");
    page.on("request", (request) => asked.push(request.url()));
    await page.waitForSelector("#shelf50-list [data-operation]");
    expect(await page.locator('script[src*="schema.js"]').count()).toBe(0);
    await page.click("[data-operation=shelf50-list]");
    await page.click("#interact [type=submit]");
    await page.waitForSelector("#interact .outcome:not([hidden]) .status:not(:empty)");
    expect(asked.filter((url) => url.includes("/many/"))).toEqual([`${gallery.address}many/?operation=shelf50-list`]);
    expect(asked.some((url) => url.includes("/shelf50/"))).toBe(true);
  });

  test("an operation is found by its summary before it is loaded", async () => {
    await visit("many/");
    await page.keyboard.press("/");
    await page.keyboard.type("shelf50 delete");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#shelf50-delete .samples");
    expect(await page.evaluate(() => location.hash)).toBe("#shelf50-delete");
  });

  test("its groups and operations are links without a script", async () => {
    await visit("many/", { javaScriptEnabled: false });
    await follow('main [href="?group=shelf50#shelf50"]');
    expect(await page.locator("article:not(.closed)").count()).toBeGreaterThan(4);
    await follow("main header a");
    await follow('.sidebar [href="?operation=shelf50-list"]');
    expect(await page.locator("article").count()).toBe(1);
  });
});

/** Clicks a link and waits for the page that it leads to: a click alone returns before. */
async function follow(selector: string): Promise<void> {
  const address = page.url();
  await page.click(selector);
  await page.waitForURL((url) => url.href !== address);
}

function shownIn(group: string): Promise<string[]> {
  return page.locator(`section:has(article[id^="${group}-"]) article`).evaluateAll((found) => found.map((each) => each.id));
}

test("everything is readable without a script, and no control needs one", async () => {
  await visit("docs/", { javaScriptEnabled: false });
  for (const selector of ["#books-create .values", "#books-create [data-sample=shell]", "#books-create [data-sample=curl]", "#books-create .answer code"]) {
    expect(await page.locator(selector).first().isVisible(), selector).toBe(true);
  }
  expect(await page.locator("button:visible, select:visible, input:visible").count()).toBe(0);
  await page.click("#books-create .answer >> text=Bad Request");
  expect(await page.locator("#books-create >> text=The body cannot be read").first().isVisible()).toBe(true);
});

test("the page is mirrored in Arabic, and code is not", async () => {
  await visit("docs/", { locale: "ar" });
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual(["ar", "rtl"]);
  const place = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x;
  expect(await place(".sidebar")).toBeGreaterThan(await place("main"));
  expect(await place(".brand")).toBeGreaterThan(await place("[data-theme-switch]"));
  expect(await page.locator(".samples pre").first().evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
  for (const width of [390, 600, 1024, 1600]) {
    await page.setViewportSize({ width, height: 844 });
    expect([width, await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)]).toEqual([width, 0]);
  }
});

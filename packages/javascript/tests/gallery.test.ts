/** The server's pages in both colour schemes, at every width, by keyboard, in both directions. */
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { launch, watched } from "./chromium.js";
import { type Gallery, KINDS, type Kind, go, open, visitor } from "./gallery.js";

const WIDTHS = [360, 600, 1024, 1400, 1600];
const STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let browser: Browser;
let gallery: Gallery;
let member: BrowserContext;
let guest: BrowserContext;
let page: Page;
let violations: string[];

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launch(), open()]);
  [member, guest] = await Promise.all([visitor(browser, gallery), visitor(browser, gallery, { guest: true })]);
});
afterAll(async () => {
  await browser?.close();
  gallery?.stop();
});

async function start(context: BrowserContext): Promise<void> {
  page = await context.newPage();
  violations = watched(page);
}
afterEach(async () => {
  await page.close();
  expect(violations).toEqual([]);
});

/** The violations that axe reports: rule and place. It writes styles into the page, against the policy. */
async function complaints(runOnly: string[]): Promise<string[]> {
  const before = [...violations];
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { runOnly, resultTypes: ["violations"], preload: false };
  const result = await page.evaluate((given) => (window as unknown as { axe: typeof axe }).axe.run(given), options);
  violations.splice(0, Infinity, ...before);
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.each(Object.entries(KINDS))("%s", (_name, kind: Kind) => {
  beforeEach(() => start(kind.guest ? guest : member));

  test("holds what it should, in both schemes, at every width", async () => {
    await page.setViewportSize({ width: 1600, height: 900 });
    await go(page, gallery, kind);
    expect(await page.locator("h1").allTextContents()).toEqual([kind.title]);
    for (const selector of kind.shows) expect(await page.locator(selector).first().isVisible(), selector).toBe(true);
    expect(await page.locator("main").count()).toBe(1);

    expect(await complaints(STANDARD)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await complaints(["color-contrast"])).toEqual([]);

    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await overflow()]).toEqual([width, 0]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await complaints(["target-size"])).toEqual([]);
  });
});

describe("a logged-in user", () => {
  beforeEach(() => start(member));

  test("finds the form below a list of 20 on a phone, and beside it on a wide screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await go(page, gallery, KINDS.list);
    expect(await page.locator("pre.content").textContent()).toMatch(/"id": 20,/);
    expect((await page.locator("#post").boundingBox())!.y).toBeLessThan(2 * 844);
    await page.click("text=Show all of it");
    expect((await page.locator("#post").boundingBox())!.y).toBeGreaterThan(4 * 844);
    await page.click(".actions >> text=POST");
    expect(await page.locator("#post h2").evaluate((title) => title.getBoundingClientRect().top)).toBeLessThan(200);
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.evaluate(() => scrollTo(0, 0));
    expect((await page.locator("#post").boundingBox())!.y).toBeLessThan(900);
    expect(await page.isVisible(".to-form")).toBe(false);
  });

  test.each(["list", "detail", "admin-list", "form-of-all-kinds"])("scrolls no page sideways because of long names: %s", async (name) => {
    await go(page, gallery, KINDS[name]!);
    await page.evaluate(() => {
      const named = "h1, .brand a, .crumbs :is(a, span), .user-name, .actions .button, .description, .request-line, dd, summary, legend, .field-label, .field-help, .field-error, option, .option, .ordering label, .order, .opener, td, th";
      document.querySelectorAll(named).forEach((element) => element.append("Donaudampfschifffahrt".repeat(9)));
      document.querySelectorAll("details").forEach((details) => (details.open = true));
    });
    for (const width of [320, ...WIDTHS]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await overflow()]).toEqual([width, 0]);
    }
  });

  test("keeps a choice between light and dark from page to page, and loses it with the system's own", async () => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    await go(page, gallery, KINDS.root);
    const light = await ground();
    await page.click("[data-theme-switch]");
    const dark = await ground();
    expect(dark).not.toBe(light);
    await go(page, gallery, KINDS.detail);
    expect(await ground()).toBe(dark);
    await page.click("[data-theme-switch]");
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).toBe(dark);
  });

  test("gets everywhere by keyboard, in the order of the page, and sees where", async () => {
    await go(page, gallery, KINDS.detail);
    const places: { top: number; name: string; outline: string; inside: string }[] = [];
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press("Tab");
      const place = await page.evaluate(() => {
        const here = document.activeElement as HTMLElement;
        const part = here.closest("header, nav, .actions, .answer, .forms");
        return { top: here.getBoundingClientRect().top, name: here.getAttribute("name") || here.textContent!.trim(), outline: getComputedStyle(here).outlineStyle, inside: part?.className.split(" ")[0] || part?.tagName || here.tagName };
      });
      if (place.inside === "BODY") break;
      places.push(place);
    }
    expect(places[0]!.name).toBe("Skip to the content");
    expect(places.filter(({ outline }) => outline === "none")).toEqual([]);
    const parts = places.map(({ inside }) => inside);
    expect([...new Set(parts)]).toEqual(["skip", "bar", "crumbs", "actions", "answer", "forms"].map((part) => (part === "skip" ? "A" : part)));
    expect(parts).toEqual([...parts].sort((one, other) => parts.indexOf(one) - parts.indexOf(other)));
    for (const name of ["title", "author", "notes", "PUT", "Log out", "OPTIONS", "DELETE", "Actions"]) expect(places.map((place) => place.name)).toContain(name);
  });

  test("tells the pages above a list from those below it", async () => {
    await go(page, gallery, KINDS.list);
    expect(await page.locator("nav.pages").evaluateAll((found) => found.map((nav) => nav.getAttribute("aria-label")))).toEqual(["Pages", "Pages, below the list"]);
  });

  test("orders a table by its headers, from the keyboard, and keeps the search", async () => {
    await page.goto(`${gallery.address}catalogue/?format=admin&search=salt&page=1`);
    const header = page.locator("th", { hasText: "Author name" });
    const authors = () => page.locator("tbody tr td:nth-child(3)").allTextContents();
    for (const [direction, sign] of [["ascending", 1], ["descending", -1]] as const) {
      await header.locator("a").focus();
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
      expect(await header.getAttribute("aria-sort")).toBe(direction);
      expect(await page.locator("[aria-sort]").count()).toBe(1);
      const found = await authors();
      expect(found.length).toBeGreaterThan(3);
      expect(found).toEqual([...found].sort((one, other) => sign * (one < other ? -1 : one > other ? 1 : 0)));
      expect(await page.inputValue("[name=search]")).toBe("salt");
      expect(new URL(page.url()).searchParams.has("page")).toBe(false);
    }
    expect(await page.locator("th", { hasText: "Genre" }).locator("a").count()).toBe(0);
  });

  test("opens a row by a click anywhere in it, by its link from the keyboard, and in a tab of its own", async () => {
    const list = `${gallery.address}catalogue/?format=admin&ordering=id`;
    const opened = async (act: () => Promise<void>) => {
      await page.goto(list);
      await Promise.all([page.waitForNavigation(), act()]);
      return [await page.textContent("h1"), new URL(page.url()).pathname];
    };
    const row = page.locator("tbody tr").nth(3);
    const expected = ["Salt", "/catalogue/4/"];
    expect(await opened(() => row.locator("td").last().click())).toEqual(expected);
    expect(await opened(() => row.locator("a").focus().then(() => page.keyboard.press("Enter")))).toEqual(expected);
    await page.goto(list);
    const [other] = await Promise.all([page.context().waitForEvent("page"), row.locator("td").last().click({ modifiers: ["Control"] })]);
    await other.waitForLoadState();
    expect([await other.textContent("h1"), page.url()]).toEqual(["Salt", list]);
    await other.close();
    await row.locator("td").last().dblclick({ trial: true });
    await row.locator("td").last().evaluate((cell) => getSelection()!.selectAllChildren(cell));
    await row.locator("td").last().evaluate((cell) => (cell as HTMLElement).click());
    expect(page.url()).toBe(list);
  });

  test("gets through a list by keyboard, in the order of the page", async () => {
    await page.goto(`${gallery.address}catalogue/?format=admin&pages__gte=1`);
    const parts: string[] = [];
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press("Tab");
      const part = await page.evaluate(() => {
        const parent = document.activeElement!.closest(".skip, .bar, .crumbs, .actions, .list-tools, .filter-panel, .pages, .table");
        return getComputedStyle(document.activeElement!).outlineStyle === "none" ? "unseen" : (parent?.className ?? "end");
      });
      if (part !== parts.at(-1)) parts.push(part);
    }
    expect(parts.slice(0, 8)).toEqual(["skip", "bar ", "crumbs", "actions", "list-tools", "panel filter-panel", "pages", "panel table"]);
  });

  test("opens a menu by keyboard and goes on from there", async () => {
    await go(page, gallery, KINDS.detail);
    await page.locator(".actions > .menu > summary").last().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    expect(page.url()).toBe(`${gallery.address}books/4/readers/`);
  });

  test("meets pages that a project made for the known API: styled, usable, its own script failing alone", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto(`${gallery.address}own/4/`);
    expect(violations.splice(0, 1)).toEqual([expect.stringMatching(/\$ is not defined/)]);
    expect(await page.title()).toBe("Salt – Shelf (token)");
    expect(await page.textContent(".brand")).toMatch("Our shelf");
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("16px");
    expect(await complaints(["color-contrast"])).toEqual([]);
    expect(await overflow()).toBe(0);
    await page.fill("#put [name=title]", "Pepper");
    await page.click("#put form >> text=PUT");
    await page.waitForFunction(() => document.querySelector("pre.content")!.textContent!.includes("Pepper"));
    violations.length = 0;
  });
});

test("pages are mirrored in Arabic, and what they show of the exchange is not", async () => {
  const context = await visitor(browser, gallery, { locale: "ar" });
  await start(context);
  const place = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x;
  for (const name of ["list", "detail", "admin-list", "form-with-errors"]) {
    await page.setViewportSize({ width: 1600, height: 900 });
    await go(page, gallery, KINDS[name]!);
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual(["ar", "rtl"]);
    expect(await place(".brand")).toBeGreaterThan(await place(".user"));
    expect(await place("h1")).toBeGreaterThan(await place(".actions"));
    for (const part of await page.locator(".request-line, .response-head, pre.content").all()) {
      expect(await part.evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      expect([name, width, await overflow()]).toEqual([name, width, 0]);
    }
  }
  await context.close();
});

test("without a script a page offers what works without one", async () => {
  const context = await visitor(browser, gallery, { javaScriptEnabled: false });
  await start(context);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${gallery.address}books/4/`);
  expect(await page.locator(".actions :is(a, button, summary)").filter({ visible: true }).allTextContents()).toEqual(["GET", "Format", "Actions"]);
  expect(await page.locator("#put, [data-theme-switch]").filter({ visible: true }).count()).toBe(0);
  await page.click(".actions .menu >> text=Actions");
  await Promise.all([page.waitForNavigation(), page.click("text=Readers")]);
  expect(await page.textContent("h1")).toBe("Readers");
  await page.goto(`${gallery.address}books/?search=salt&genre=novel`);
  await page.selectOption("[name=ordering]", "-pages");
  await Promise.all([page.waitForNavigation(), page.click("text=Sort")]);
  expect([...new URL(page.url()).searchParams]).toEqual([["search", "salt"], ["genre", "novel"], ["ordering", "-pages"]]);
  expect(await page.inputValue("[name=ordering]")).toBe("-pages");
  await page.goto(`${gallery.address}catalogue/?format=admin`);
  await Promise.all([page.waitForNavigation(), page.click("tbody tr:nth-child(5) a")]);
  expect(await page.textContent("h1")).toBe("The Cartographer");
  await page.goto(`${gallery.address}books/`);
  await page.fill("#post [name=pages]", "9");
  await Promise.all([page.waitForNavigation(), page.locator("#post [type=submit]").first().click()]);
  expect(await page.textContent("#post .field-error")).toBe("This field may not be blank.");
  expect(await page.inputValue("#post [name=pages]")).toBe("9");
  await context.close();
});

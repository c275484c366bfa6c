/** The script of the browsable interface in real Chromium: nobody loses what they typed. */
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

const SERVICE = inject("service");
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ARGUMENTS });
  page = await (await browser.newContext()).newPage();
  await page.goto(`${SERVICE}auth/login/?next=/snippets/`);
  await page.fill("[name=username]", "ada");
  await page.fill("[name=password]", "correct horse");
  await Promise.all([page.waitForNavigation(), page.press("[name=password]", "Enter")]);
});
afterAll(() => browser?.close());

test("a raw body with a mistake in it is there to be corrected", async () => {
  await page.goto(`${SERVICE}snippets/`, { waitUntil: "load" });
  const form = 'form[data-method="POST"]';
  const typed = '{"code": "1", "title": "kept",}';
  await page.evaluate((selector) => document.querySelector(selector)?.closest("details")?.setAttribute("open", ""), form);
  await page.fill(`${form} textarea`, typed);
  await page.click(`${form} button`);
  await page.waitForSelector("text=HTTP 400");
  expect(await page.inputValue(`${form} textarea`)).toBe(typed);
  expect(await page.textContent(".content")).toMatch(/JSON parse error/);
  expect(await page.isVisible(`${form} textarea`)).toBe(true);

  await page.fill(`${form} textarea`, typed.replace(",}", "}"));
  await page.click(`${form} button`);
  await page.waitForSelector("text=HTTP 201");
});

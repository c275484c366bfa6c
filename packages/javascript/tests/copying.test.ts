/** The scripts of the documentation site and of the tour that copy code, in real Chromium. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { launch } from "./chromium.js";

const SITE = new URL("../../../tools/site/static/", import.meta.url);
const block = (language: string, code: string) => `<div class="highlight-${language} notranslate"><div class="highlight"><pre><span></span>${code}\n</pre></div></div>`;
const CODE = {
  python: "<span class='kn'>import</span> lintel\n\nx = 1 &lt; 2",
  console: "$ lintel get http://127.0.0.1:8000/\n&lt;Snippets&gt;\n...\n$ curl x \\\n    -d y\n{}",
  pycon: "&gt;&gt;&gt; 1 + 1\n2\n&gt;&gt;&gt; def f():\n...     return 3",
  shell: "export A=$B\n$RUN",
};
const COPIED = {
  python: "import lintel\n\nx = 1 < 2",
  console: "lintel get http://127.0.0.1:8000/\ncurl x \\\n    -d y",
  pycon: "1 + 1\ndef f():\n    return 3",
  shell: "export A=$B\n$RUN",
};

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  page = await context.newPage();
  const blocks = Object.entries(CODE).map(([language, code]) => block(language, code)).join("");
  const wide = block("text", "x".repeat(500));
  const [script, style] = ["copy.js", "lintel.css"].map((name) => readFileSync(new URL(name, SITE), "utf8"));
  const body = `<!doctype html><style>pre { overflow: auto }${style}</style><article>${blocks}${wide}</article><script>${script}</script>`;
  await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("http://localhost/");
  await page.bringToFront();
});
afterAll(() => browser?.close());

test.each(Object.keys(CODE) as (keyof typeof CODE)[])("a block of %s is copied as a reader would type it", async (language) => {
  const button = page.locator(`.highlight-${language} button.copy`);
  await button.click();
  await expect.poll(() => button.textContent(), { timeout: 5_000 }).toBe("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(COPIED[language]);
});

test("the button works by keyboard, and then says again what it does", async () => {
  const button = page.locator(".highlight-python button.copy");
  await expect.poll(() => button.textContent(), { timeout: 5_000 }).toBe("Copy");
  await button.focus();
  expect(await button.evaluate((element) => Number(getComputedStyle(element).opacity))).toBe(1);
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(COPIED.python);
});

test("without a clipboard, the text is selected", async () => {
  await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))));
  await page.locator(".highlight-shell button.copy").click();
  expect((await page.evaluate(() => String(getSelection()))).trim()).toBe(COPIED.shell);
});

test("blocks that scroll are reached by keyboard, and no others", async () => {
  const places = () => page.locator("article pre").evaluateAll((found) => found.map((pre) => [(pre as HTMLElement).tabIndex === 0, pre.scrollWidth > pre.clientWidth]));
  for (const width of [360, 5_000]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await places()).every(([isReached, scrolls]) => isReached === scrolls)).toBe(true);
  }
  expect((await places()).flat()).not.toContain(true);
});

test("on a phone a long line of code wraps", async () => {
  const [width, scrolled] = await page.locator(".highlight-console pre").evaluate((pre) => {
    pre.append("y".repeat(500));
    return [pre.clientWidth, pre.scrollWidth];
  });
  expect(scrolled).toBe(width);
});

test("each block of commands of the tour has a button that copies it", async () => {
  const script = readFileSync(new URL("../../../examples/service/rides/static/rides/start.js", import.meta.url), "utf8");
  const tour = await page.context().newPage();
  const body = `<!doctype html><ol class="steps"><li><pre class="code">curl x\nlintel y</pre></li></ol><script>${script}</script>`;
  await tour.route("**/*", (route) => route.fulfill({ contentType: "text/html", body }));
  await tour.goto("http://localhost/start/");
  await tour.bringToFront();
  await tour.locator("button.copy").click();
  await expect.poll(() => tour.locator("button.copy").textContent(), { timeout: 5_000 }).toBe("Copied");
  expect(await tour.evaluate(() => navigator.clipboard.readText())).toBe("curl x\nlintel y");
  await tour.close();
});

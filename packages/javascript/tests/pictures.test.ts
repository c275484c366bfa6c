/**
 * Pictures of the pages for people to look at, in the folder that GALLERY_PICTURES names: `make screenshots`.
 * What the pages hold is asserted in gallery.test.ts.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";

import { launch } from "./chromium.js";
import { type Gallery, KINDS, type Kind, go, open, visitor } from "./gallery.js";

const FOLDER = process.env["GALLERY_PICTURES"];
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1600, height: 1000 } };
const SCHEMES = ["light", "dark"] as const;
const SHOWN = ["list", "detail", "form-with-errors", "form-of-all-kinds", "filters", "filters-by-field", "login", "forbidden", "not-found", "admin-list", "admin-ordered", "documentation", "documentation-trial", "documentation-search"];

/** A picture of the viewport as WebP, with a tenth of the bytes of a PNG. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
  return Buffer.from(data, "base64");
}

async function pictures(context: BrowserContext, gallery: Gallery, name: string, kind: Kind): Promise<void> {
  const page = await context.newPage();
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await go(page, gallery, kind);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const bytes = await picture(page);
      expect(bytes.length).toBeLessThan(150_000);
      await writeFile(join(FOLDER!, `${name}-${size}-${colorScheme}.webp`), bytes);
    }
  }
  await page.close();
}

test("pictures of each kind of page", async () => {
  const [browser, gallery]: [Browser, Gallery] = await Promise.all([launch(), open()]);
  try {
    await mkdir(resolve(FOLDER!), { recursive: true });
    const [member, guest] = [await visitor(browser, gallery), await visitor(browser, gallery, { guest: true })];
    for (const [name, kind] of SHOWN.map((shown) => [shown, KINDS[shown]!] as const)) {
      await pictures(kind.guest ? guest : member, gallery, name, kind);
    }
  } finally {
    await browser.close();
    gallery.stop();
  }
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import { DOCUMENTATION, script } from "../tools/script.mjs";

const STATIC = new URL("../../server/src/lintel/static/rest_framework/", import.meta.url);

function gzipped(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

test.each([
  ["js/lintel-client.min.js", "src/browser"],
  ["docs/js/docs.js", DOCUMENTATION],
])("%s in the server's static files is what the source builds: npm run build", async (name, entry) => {
  const isCurrent = readFileSync(fileURLToPath(new URL(name, STATIC)), "utf8") === (await script(entry));
  expect(isCurrent).toBe(true);
});

test.each([
  ["src/browser", 28.75 * 1024],
  ["src/browser-native", 12.75 * 1024],
  [DOCUMENTATION, 6 * 1024],
])("%s stays within its budget of %i bytes", async (entry, budget) => {
  expect(gzipped(await script(entry))).toBeLessThanOrEqual(budget);
});

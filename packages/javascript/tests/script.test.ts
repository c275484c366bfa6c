import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import { script } from "../tools/script.mjs";

const COMMITTED = fileURLToPath(new URL("../../server/src/lintel/static/rest_framework/js/lintel-client.min.js", import.meta.url));

function gzipped(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

test("the script in the server's static files is what the source builds: npm run build", async () => {
  const isCurrent = readFileSync(COMMITTED, "utf8") === (await script("browser"));
  expect(isCurrent).toBe(true);
});

test.each([
  ["browser", 24 * 1024],
  ["browser-native", 12 * 1024],
])("%s stays within its budget of %i bytes", async (entry, budget) => {
  expect(gzipped(await script(entry))).toBeLessThanOrEqual(budget);
});

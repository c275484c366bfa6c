import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { script } from "../tools/script.mjs";

const COMMITTED = fileURLToPath(new URL("../../server/src/lintel/static/rest_framework/js/lintel-client.min.js", import.meta.url));

test("the script in the server's static files is what the source builds: npm run build", async () => {
  expect(readFileSync(COMMITTED, "utf8")).toBe(await script("browser"));
});

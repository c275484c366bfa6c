import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { htmlText } from "../src/html-text.js";

/** The cases shared with the Python client. */
const CASES: [string, string][] = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../tests/data/html_texts.json", import.meta.url)), "utf8"),
).cases;

test.each(CASES)("the text of %s", (page, text) => {
  expect(htmlText(page)).toBe(text);
});

test("long pages are cut", () => {
  expect(htmlText("x".repeat(100_000))).toBe("x".repeat(1_000) + "…");
});

test.each(["<a", "<!--", "<title", "<script>", "<!", "&#x"])("what only begins with %s ends at once", (start) => {
  expect(htmlText(start.repeat(50_000)).length).toBeLessThan(1_002);
});

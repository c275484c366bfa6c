/** The examples of docs/javascript.md and of the README run as printed. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${PACKAGE}build/docs/`;

beforeAll(() => void mkdirSync(FOLDER, { recursive: true }));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function examples(page: string, language: string): string {
  const blocks = readFileSync(`${PACKAGE}${page}`, "utf8").matchAll(/```(\w+)\n(.*?)```/gs);
  return [...blocks].filter(([, name]) => name === language).map(([, , code]) => code).join("\n");
}

function run(code: string): string[] {
  const placed = code.replaceAll("http://127.0.0.1:8000/", inject("service")).replaceAll('"..."', '"correct horse"');
  writeFileSync(`${FOLDER}page.mjs`, placed);
  const printed = execFileSync(process.execPath, [`${FOLDER}page.mjs`], { encoding: "utf8" });
  return printed.replaceAll(inject("service"), "http://127.0.0.1:8000/").trim().split("\n");
}

test("docs/javascript.md prints what it shows", () => {
  const code = examples("../../docs/javascript.md", "js");
  const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
  expect(said.length).toBe(3);
  expect(run(code)).toEqual(said);
});

test("the README runs with a token of the service", async () => {
  const answer = await fetch(`${inject("service")}token/`, { method: "POST", body: new URLSearchParams({ username: "ada", password: "correct horse" }) });
  const { token } = (await answer.json()) as { token: string };
  const code = examples("README.md", "js").replace("0123456789abcdef", token);
  expect(run(`${code}\nconsole.log(page.results.length);`)).toEqual(["20"]);
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { printable, shown } from "../src/controls.js";
import { Client, Document, LintelError } from "../src/index.js";

const ACTING = "\x1b]0;x\x07 \x9b31m \u202e";
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const isJson = request.url !== "/text";
    response.writeHead(request.url === "/broken" ? 200 : 400, { "Content-Type": isJson ? "application/json" : "text/plain; charset=utf-8" });
    response.end(request.url === "/broken" ? `{${ACTING}` : isJson ? JSON.stringify({ [`name${ACTING}`]: [`no${ACTING}\n\tnext`] }) : ACTING);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test.each(["json", "text", "broken"])("the text of an error does not act on a terminal: %s", async (path) => {
  const error: LintelError = await new Client().get(`${origin}/${path}`).catch((reason) => reason);
  expect(error).toBeInstanceOf(LintelError);
  expect(error.message).toBe(printable(error.message));
  if (path === "json") {
    expect(error.message).toBe(`400 Bad Request\nname${printable(ACTING)}: no${printable(ACTING)}\n\tnext`);
    expect(error.content).toEqual({ [`name${ACTING}`]: [`no${ACTING}\n\tnext`] });
  }
});

test("keys of a description do not act either", async () => {
  const document = new Document({ url: origin }, { [`a${ACTING}`]: new Document({}) });
  const error: LintelError = await new Client().action(document, [`a${ACTING}`, "b"]).catch((reason) => reason);
  expect(error).toBeInstanceOf(LintelError);
  expect(error.message).toBe(printable(error.message));
});

test("what an error shows is bounded", () => {
  expect(shown("x".repeat(10_000))).toHaveLength(10_000);
  expect(new LintelError("lookup", "\x1b".repeat(100_000)).message).toBe(`${"\ufffd".repeat(10_000)}…`);
});

test("what acts is marked, and line breaks stay", () => {
  expect(printable(ACTING)).toBe("\ufffd]0;x\ufffd \ufffd31m \ufffd");
  expect(printable("a\n\tü\u{1f600}")).toBe("a\n\tü\u{1f600}");
});

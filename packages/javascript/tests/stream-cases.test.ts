/** The streams of tests/data/stream_cases.json, which every client of the repository reads. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { Client, LintelError, OpenAPICodec } from "../src/index.js";

interface Case {
  id: string;
  content_type: string;
  chunks: (string | { hex: string })[];
  items: unknown[];
  item_schema?: object;
  components?: object;
  max_item?: number;
  error?: "parse" | "size";
}

const CASES: Case[] = JSON.parse(readFileSync(new URL("../../../tests/data/stream_cases.json", import.meta.url), "utf8")).cases;

function clientOf(given: Case, chunks: Uint8Array[]): Client {
  const headers = { "Content-Type": given.content_type };
  const body = (): ReadableStream => new ReadableStream({ start: (controller) => (chunks.forEach((chunk) => controller.enqueue(chunk)), controller.close()) });
  return new Client({ transports: [{ schemes: ["https"], send: async () => new Response(body(), { headers }) }] });
}

function documentOf(given: Case) {
  const content = { [given.content_type]: given.item_schema ? { itemSchema: given.item_schema } : {} };
  const description = {
    openapi: "3.2.0",
    info: { title: "Streams", version: "1" },
    servers: [{ url: "https://api.example.org/" }],
    paths: { "/items": { get: { operationId: "follow", responses: { 200: { description: "", content } } } } },
    components: { schemas: given.components ?? {} },
  };
  return new OpenAPICodec().decode(JSON.stringify(description));
}

async function read(given: Case, chunks: Uint8Array[]): Promise<[unknown[], string | undefined]> {
  const items: unknown[] = [];
  const options = { reconnect: false, ...(given.max_item ? { maxItem: given.max_item } : {}) };
  try {
    for await (const item of clientOf(given, chunks).stream(documentOf(given), ["follow"], {}, options)) items.push(item);
  } catch (error) {
    expect(error).toBeInstanceOf(LintelError);
    return [items, (error as LintelError).code];
  }
  return [items, undefined];
}

describe("streams that are the same in every client", () => {
  test.each(CASES.map((given) => [given.id, given] as const))("%s", async (_id, given) => {
    const chunks = given.chunks.map((chunk) => new Uint8Array(typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.hex, "hex")));
    const whole = new Uint8Array(Buffer.concat(chunks));
    const expected = [given.items, given.error && { parse: "parse", size: "network" }[given.error]];
    for (const way of [chunks, [whole], [...whole].map((byte) => new Uint8Array([byte]))]) {
      expect(await read(given, way)).toEqual(expected);
    }
  });
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { HALCodec } from "../src/codecs/hal.js";
import { HyperSchemaCodec } from "../src/codecs/hyperschema.js";
import { Client, CoreJSONCodec, type Document, OpenAPICodec } from "../src/index.js";

interface Case {
  readonly id: string;
  readonly format: keyof typeof CODECS;
  readonly keys: string[];
  readonly params: Record<string, unknown>;
  readonly description: unknown;
  /** Whether Core JSON that this package writes keeps all of it; that of the Python client always does. */
  readonly javascript_writes?: boolean;
  readonly expect: { method?: string; url?: string; json?: unknown; refuse?: string };
}

const CODECS = { corejson: CoreJSONCodec, openapi: OpenAPICodec, hal: HALCodec, jsonhyperschema: HyperSchemaCodec };
/** The case file shared with the Python client. */
const CASES: [string, Case][] = JSON.parse(readFileSync(fileURLToPath(new URL("../../../tests/data/format_cases.json", import.meta.url)), "utf8")).cases.map((given: Case) => [given.id, given]);

function read({ format, description }: Case): Document {
  return new CODECS[format]().decode(JSON.stringify(description)) as Document;
}

async function check(document: Document, { keys, params, expect: expected }: Case): Promise<void> {
  const request = () => new Client().request(document, keys, params);
  if (expected.refuse) {
    expect(request).toThrow(expected.refuse);
    return;
  }
  const { method, url, body } = request();
  expect([method, url]).toEqual([expected.method, expected.url]);
  expect(body ? JSON.parse(await new Blob([body]).text()) : undefined).toEqual(expected.json);
}

test.each(CASES)("a request that is the same in every client: %s", async (_id, given) => {
  await check(read(given), given);
});

test.each(CASES.filter(([, given]) => given.javascript_writes !== false))("the same after it was written as Core JSON: %s", async (_id, given) => {
  const codec = new CoreJSONCodec();
  await check(codec.decode(codec.encode(read(given))) as Document, given);
});

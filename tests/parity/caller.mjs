// Calls operations with the JavaScript client: reads questions in JSON, one a line, and answers each.
//     node caller.mjs MODULE
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const lintel = await import(pathToFileURL(process.argv[2]));
const { Client, CoreJSONCodec, DocumentNode, HALCodec, HyperSchemaCodec, Link, LintelError, OpenAPICodec } = lintel;
const CODECS = { corejson: CoreJSONCodec, hal: HALCodec, jsonhyperschema: HyperSchemaCodec, openapi: OpenAPICodec };

const client = new Client();
let document;

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  try {
    console.log(JSON.stringify({ result: await answer(question) }));
  } catch (error) {
    console.log(JSON.stringify({ failed: String(error?.stack ?? error) }));
  }
}

async function answer(question) {
  if ("written" in question) return new CODECS[question.written]().encode(document);
  return "text" in question ? load(question) : call(question);
}

function load({ format, text, url }) {
  document = new CODECS[format]().decode(text, { baseUrl: url });
  return [...operations(document)];
}

function* operations(node, keys = []) {
  if (node instanceof Link) yield keys;
  else if (node instanceof DocumentNode) for (const [key, inner] of node) yield* operations(inner, [...keys, key]);
  else if (Array.isArray(node)) for (const [at, inner] of node.entries()) yield* operations(inner, [...keys, at]);
}

async function call({ keys, params, encoding }) {
  try {
    await client.action(document, keys, value(params), encoding ? { overrides: { encoding } } : {});
    return "sent";
  } catch (error) {
    if (!(error instanceof LintelError)) throw error;
    return error.status ? String(error.status) : `refused: ${error.message}`;
  }
}

function value(raw) {
  if (Array.isArray(raw)) return raw.map(value);
  if (typeof raw !== "object" || raw === null) return raw;
  if ("$file" in raw) return new File([Buffer.from(raw.bytes, "hex")], raw.$file);
  return Object.fromEntries(Object.entries(raw).map(([key, inner]) => [key, value(inner)]));
}

import { readFile, writeFile } from "node:fs/promises";

import { Client, Document, HTTPTransport, LintelError, OpenAPICodec } from "../index.js";
import { typescriptTypes } from "./declarations.js";

const USAGE = `Usage: lintel-client types URL_OR_FILE [--output FILE] [--header "Name: value"]...

Write TypeScript declarations for the operations of an API.`;

/** Run the command line; returns the exit status: 0 for success, 1 for failure, 2 for wrong arguments. */
export async function main(args: readonly string[]): Promise<number> {
  const [command, source, ...rest] = args;
  if (command !== "types" || !source || source.startsWith("-")) return say(USAGE, 2);
  const options = parsed(rest);
  if (!options) return say(USAGE, 2);
  try {
    const text = typescriptTypes(await described(source, options.headers));
    if (options.output) await writeFile(options.output, text);
    else process.stdout.write(text);
    return 0;
  } catch (error) {
    if (error instanceof LintelError || isFileError(error)) return say((error as Error).message, 1);
    throw error;
  }
}

interface Options {
  output: string;
  headers: Record<string, string>;
}

function parsed(args: readonly string[]): Options | null {
  const options: Options = { output: "", headers: {} };
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at], args[at + 1]];
    const header = /^([^:]+):(.*)$/s.exec(value ?? "");
    if ((name === "--output" || name === "-o") && value) options.output = value;
    else if (name === "--header" && header) options.headers[header[1]!] = header[2]!.trim();
    else return null;
  }
  return options;
}

async function described(source: string, headers: Record<string, string>): Promise<Document> {
  const found: unknown = /^https?:/.test(source)
    ? await new Client({ transports: [new HTTPTransport({ headers })] }).get(source)
    : new OpenAPICodec().decode(await readFile(source));
  if (found instanceof Document) return found;
  throw new LintelError("parse", `${source} is not an API description that can be read`);
}

function isFileError(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "string";
}

function say(message: string, status: number): number {
  process.stderr.write(`${message}\n`);
  return status;
}

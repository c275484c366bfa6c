/** Descriptions in YAML. Only this module needs the npm package `yaml`, an optional peer dependency. */
import { parse } from "yaml";

import type { DecodingOptions } from "./codec.js";
import type { Document } from "./document.js";
import { LintelError } from "./errors.js";
import { OpenAPICodec } from "./openapi/codec.js";
import { textOf } from "./text.js";

/** The most that aliases may repeat, however they refer to one another. */
const MAX_ALIASES = 10_000;
const YAML_TYPES = ["application/openapi+yaml", "application/vnd.oai.openapi+yaml", "application/vnd.oai.openapi", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];

/** Reads OpenAPI 2.0 to 3.2 in YAML, and in JSON, which is YAML. */
export class OpenAPIYAMLCodec extends OpenAPICodec {
  override readonly mediaTypes = [...new OpenAPICodec().mediaTypes, ...YAML_TYPES];

  override decode(content: Uint8Array | string, options: DecodingOptions = {}): Document {
    const text = textOf(content, "", true);
    return /^\s*\{\s*["}]/.test(text) ? super.decode(text, options) : this.fromData(parseYAML(text, options), options);
  }
}

/** Return the data of a text in YAML 1.2. Throws a LintelError with the code "parse" if it is none. */
export function parseYAML(text: string, { bigint = false }: DecodingOptions = {}): unknown {
  try {
    const found: unknown = parse(text, { maxAliasCount: MAX_ALIASES, merge: true, intAsBigInt: bigint, logLevel: "error" });
    return bigint ? withNumbers(found) : found;
  } catch (cause) {
    throw new LintelError("parse", `Malformed YAML: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
}

/** Return data in which only integers beyond 2^53 are BigInt. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNumbers(inner)]));
}

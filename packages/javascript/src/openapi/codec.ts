import type { Codec, DecodingOptions } from "../codec.js";
import { type Document, isPlain } from "../document.js";
import { LintelError } from "../errors.js";
import { readJSON } from "../json.js";
import { textOf } from "../text.js";
import { resolve } from "../urls.js";
import { type Description, mapping, text } from "./nodes.js";
import { readDocument } from "./reader.js";

export interface OpenAPIOptions {
  /** Values of the variables in server URLs. */
  serverVariables?: Readonly<Record<string, string>>;
}

/**
 * Reads OpenAPI 2.0 to 3.2 in JSON.
 *
 * Operations have their first tag and operation id as keys. References are followed only within the description.
 * An operation that cannot be read stays in the document and says why when it is called; `document.issues` lists
 * everything that could not be represented.
 */
export class OpenAPICodec implements Codec {
  readonly format = "openapi";
  readonly mediaTypes = ["application/openapi+json", "application/vnd.oai.openapi+json"];
  readonly readsDocuments = true;
  readonly #options: OpenAPIOptions;

  constructor(options: OpenAPIOptions = {}) {
    this.#options = options;
  }

  decode(content: Uint8Array | string, options: DecodingOptions = {}): Document {
    return this.fromData(readJSON(textOf(content, "", true), { bigint: options.bigint ?? false }), options);
  }

  recognizes(data: unknown): boolean {
    // Unquoted versions are numbers in YAML.
    return isPlain(data) && (/^3(\.|$)/.test(String(data["openapi"])) || /^2(\.|$)/.test(String(data["swagger"])));
  }

  fromData(data: unknown, options: DecodingOptions = {}, beside: Pick<Description, "source" | "files"> = {}): Document {
    if (!this.recognizes(data)) {
      throw new LintelError("parse", 'An OpenAPI description must be a JSON object with "openapi" 3.x or "swagger" 2.0');
    }
    const root = data as Record<string, unknown>;
    const own = text(mapping(root["x-lintel"])["url"]);
    const url = resolve(options.baseUrl || own, text(root["$self"]));
    const description = { root, url, isOld: "swagger" in root, issues: [], ...beside };
    return readDocument(description, this.mediaTypes[0]!, this.#options.serverVariables ?? {});
  }
}

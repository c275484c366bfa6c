import type { Codec, DecodingOptions } from "../codec.js";
import { readJSON } from "../json.js";
import { textOf } from "../text.js";

/** Reads JSON into objects, lists and scalars. */
export class JSONCodec implements Codec {
  readonly format = "json";
  readonly mediaTypes = ["application/json"];
  readonly readsDocuments = false;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): unknown {
    return readJSON(textOf(content, options.contentType, true), { bigint: options.bigint ?? false });
  }
}

/** Reads text in the charset that the response names, UTF-8 by default; invalid bytes become U+FFFD. */
export class TextCodec implements Codec {
  readonly format = "text";
  readonly mediaTypes = ["text/*"];
  readonly readsDocuments = false;

  decode(content: Uint8Array | string, options: DecodingOptions = {}): string {
    return textOf(content, options.contentType);
  }
}

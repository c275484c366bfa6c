import type { Codec } from "./codec.js";
import { LintelError } from "./errors.js";
import { mediaTypeOf } from "./text.js";

const ANYTHING = "*/*;q=0.1";

/**
 * Return the Accept header that asks for a document in any supported format.
 *
 * Plain JSON is left out: a server that has both would be free to prefer it.
 */
export function acceptDocuments(decoders: readonly Codec[]): string {
  return [...decoders.filter((codec) => codec.readsDocuments).flatMap(concreteTypes), ANYTHING].join(", ");
}

/** Return the Accept header that asks for the result of an operation. */
export function acceptData(decoders: readonly Codec[]): string {
  return [...decoders.flatMap(concreteTypes), ANYTHING].join(", ");
}

/**
 * Return the codec for a Content-Type header; its parameters are ignored.
 *
 * An exact type wins, then the suffix (`+json`), then a wildcard such as `text/*`. Null if none fits: the
 * response is then a download.
 */
export function chooseDecoder(decoders: readonly Codec[], contentType: string): Codec | null {
  const mediaType = mediaTypeOf(contentType);
  if (!mediaType) return decoders[0] ?? null;
  const main = mediaType.slice(0, mediaType.indexOf("/"));
  const suffix = /\+(\w+)$/.exec(mediaType)?.[1];
  for (const wanted of [mediaType, suffix ? `${main}/${suffix}` : mediaType, `${main}/*`, "*/*"]) {
    const found = decoders.find((codec) => codec.mediaTypes.includes(wanted));
    if (found) return found;
  }
  return null;
}

/** Return the codec of a format. Throws a LintelError with the code "codec" that lists the available formats. */
export function decoderForFormat(decoders: readonly Codec[], format: string): Codec {
  const found = decoders.find((codec) => codec.format === format);
  if (found) return found;
  const known = decoders.map((codec) => codec.format).join(", ");
  throw new LintelError("codec", `No codec reads the format ${JSON.stringify(format)}; available: ${known}`);
}

function concreteTypes(codec: Codec): string[] {
  return codec.mediaTypes.filter((type) => !type.includes("*"));
}

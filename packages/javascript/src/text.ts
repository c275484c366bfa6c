import { LintelError } from "./errors.js";

/** Return the media type of a Content-Type header, in lower case and without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Decode bytes in the charset that a Content-Type names, UTF-8 by default. */
export function textOf(content: Uint8Array | string, contentType = "", fatal = false): string {
  if (typeof content === "string") return content.replace(/^\ufeff/, "");
  const named = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return decoder(named, fatal).decode(content);
  } catch (cause) {
    throw new LintelError("parse", `The content is not valid ${named}`, { cause });
  }
}

function decoder(charset: string, fatal: boolean): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal });
  } catch {
    return new TextDecoder("utf-8", { fatal });
  }
}

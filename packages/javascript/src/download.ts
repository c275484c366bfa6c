import { failure } from "./failures.js";
import { mediaTypeOf } from "./text.js";

/** A response that no codec reads: its name, its media type, and its content, which can be read once. */
export class Download {
  readonly name: string;
  readonly contentType: string;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(response: Response, stream: ReadableStream<Uint8Array>, url: string) {
    this.contentType = mediaTypeOf(response.headers.get("Content-Type") ?? "");
    this.name = downloadName(response.headers.get("Content-Disposition") ?? "", url);
    this.stream = stream;
  }

  /** Return the whole content as a File with its name and media type. */
  async file(): Promise<File> {
    try {
      const blob = await new Response(this.stream as BodyInit).blob();
      return new File([blob], this.name, { type: this.contentType });
    } catch (cause) {
      throw failure(cause, "The download was interrupted");
    }
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await (await this.file()).arrayBuffer());
  }

  async text(): Promise<string> {
    return (await this.file()).text();
  }
}

/** Return a file name for a response: from Content-Disposition (RFC 6266), else from the URL. */
export function downloadName(disposition: string, url: string): string {
  const last = new URL(url).pathname.replace(/\/+$/, "").split("/").pop() ?? "";
  return safeName(dispositionName(disposition)) || safeName(unquoted(last)) || "download";
}

function dispositionName(disposition: string): string {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (extended) return unquoted(extended);
  const found = /filename\s*=\s*(?:"((?:[^"\\]|\\.){0,1000})"|([^;\s]+))/i.exec(disposition);
  return found?.[1]?.replace(/\\(.)/g, "$1") ?? found?.[2] ?? "";
}

/** Clean a file name: safe characters, no folders, no dots at the ends, 150 characters at most. */
function safeName(name: string): string {
  const base = name.split(/[/\\]/).pop() ?? "";
  const plain = base.replace(/[^\p{L}\p{N}_ .-]/gu, "").replace(/^[ .]+|[ .]+$/g, "");
  const ending = /\.[^.]{1,20}$/.exec(plain)?.[0] ?? "";
  return [...plain.slice(0, plain.length - ending.length)].slice(0, 150).join("") + ending;
}

function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { extras } from "../extras.js";
import { quoted } from "../templates.js";

/** The name of a File, without folders; empty for other uploads. */
export function fileName(value: unknown): string {
  const name: unknown = value instanceof Blob ? (value as { name?: unknown }).name : "";
  return typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : "";
}

/** The media type of an upload: the described one if there is one, else the file's own, else by its name. */
export function typeOf(value: unknown, described = ""): string {
  const choices = described.split(",").map((type) => type.trim());
  const own = value instanceof Blob ? value.type : "";
  if (own && choices.includes(own)) return own;
  const concrete = choices.find((type) => type && !type.includes("*"));
  const ending = /\.(\w+)$/.exec(fileName(value))?.[1]?.toLowerCase() ?? "";
  return concrete || own || extras.typeOfEnding(ending) || "application/octet-stream";
}

export function blobOf(value: unknown): Blob {
  return value instanceof Blob ? value : new Blob([value as ArrayBuffer]);
}

/** The Content-Disposition of an upload (RFC 6266): non-ASCII names are sent in `filename*`. */
export function attachment(name: string): string {
  const simple = name.replace(/\p{C}/gu, "").replace(/[^\x20-\x7e]/gu, "_");
  const value = `attachment; filename="${simple.replace(/["\\]/g, "\\$&")}"`;
  return simple === name ? value : `${value}; filename*=UTF-8''${quoted(name)}`;
}

/** Escape a name in the header of a multipart form, as browsers do (WHATWG HTML, 4.10.22.8). */
export function partName(name: string): string {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}

/** Media types of common file extensions, for files without a stated type. */
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  txt: "text/plain",
  webp: "image/webp",
  xml: "text/xml",
  zip: "application/zip",
};

export function typeOfEnding(ending: string): string {
  return TYPES[ending] ?? "";
}

import { isPlain } from "./document.js";

/** Return the items of a problem list: `{pointer, detail}` (RFC 9457), `{name, reason}` (RFC 7807); null for others. */
export function listed(items: unknown): [string, string[]][] | null {
  if (!Array.isArray(items)) return null;
  const found = items.filter(isPlain).flatMap((item): [string, string[]][] => {
    const place = item["pointer"] ?? item["parameter"] ?? item["name"] ?? item["attr"] ?? item["field"];
    const text = item["detail"] ?? item["reason"] ?? item["message"];
    return typeof place === "string" && typeof text === "string" ? [[nameOf(place), [text]]] : [];
  });
  return found.length ? found : null;
}

/** "#/address/street" is about the parameter "address", the empty pointer about all of them. */
function nameOf(pointer: string): string {
  const [first = ""] = pointer.replace(/^#?\/?/, "").split("/");
  if (!first) return "non_field_errors";
  return first.replace(/~1/g, "/").replace(/~0/g, "~");
}

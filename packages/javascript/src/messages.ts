/** The messages of an error's content by the name that they stand under, such as a parameter's. */
export function messagesOf(content: unknown): Record<string, string[]> {
  if (typeof content === "string" || Array.isArray(content)) {
    return named([["messages", flat(content)]]);
  }
  if (!isMapping(content)) return {};
  const found = Object.entries(content).map(([name, value]): [string, string[]] => [name, flat(value)]);
  return merged([...found.filter(([name]) => !isList(content, name)), ...problems(content)]);
}

/** Whether an entry is one of the lists of a problem (RFC 9457), which `problems` reads. */
function isList(content: Record<string, unknown>, name: string): boolean {
  return (name === "errors" || name === "invalid-params") && pointed(content[name]).length > 0;
}

function problems(content: Record<string, unknown>): [string, string[]][] {
  return ["errors", "invalid-params"].flatMap((name) => pointed(content[name]));
}

/** The items of a problem's list: `{pointer, detail}` of RFC 9457, `{name, reason}` of RFC 7807. */
function pointed(items: unknown): [string, string[]][] {
  if (!Array.isArray(items)) return [];
  return items.filter(isMapping).flatMap((item) => {
    const place = item["pointer"] ?? item["parameter"] ?? item["name"] ?? item["attr"] ?? item["field"];
    const text = item["detail"] ?? item["reason"] ?? item["message"];
    return typeof place === "string" && typeof text === "string" ? [[nameOf(place), [text]]] : [];
  });
}

/** "#/address/street" is about the parameter "address". */
function nameOf(pointer: string): string {
  const [first = ""] = pointer.replace(/^#?\//, "").split("/");
  return first.replace(/~1/g, "/").replace(/~0/g, "~");
}

/** Messages at any depth; those of nested objects name their key. */
function flat(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((item) => flat(item, depth + 1));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    flat(inner, depth + 1).map((message) => `${key}: ${message}`),
  );
}

function merged(entries: [string, string[]][]): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, texts] of entries) found.set(name, [...(found.get(name) ?? []), ...texts]);
  return named([...found]);
}

function named(entries: [string, string[]][]): Record<string, string[]> {
  return Object.fromEntries(entries.filter(([, texts]) => texts.length));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { extras } from "./extras.js";

/** Return the messages of an error's content by name, such as that of a parameter. */
export function messagesOf(content: unknown): Record<string, string[]> {
  const whole = isMapping(content) ? content : { messages: content };
  const found = new Map<string, string[]>();
  const members = Object.entries(whole);
  const listed = members.flatMap(([name, value]) => ((name === "errors" || name === "invalid-params") && extras.listed(value)) || []);
  // A problem that lists its errors says nothing about parameters beside them.
  for (const [key, texts] of listed.length ? listed : members.map(([name, value]) => [name, flat(value)] as const)) {
    found.set(key, [...(found.get(key) ?? []), ...texts]);
  }
  return Object.fromEntries([...found].filter(([, texts]) => texts.length));
}

/** Return messages at any depth; those of nested objects start with their key. */
function flat(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((item) => flat(item, depth + 1));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, depth + 1).map((message) => `${key}: ${message}`));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

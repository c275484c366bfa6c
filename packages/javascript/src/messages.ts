import { extras } from "./extras.js";

/** The messages of an error's content by the name that they stand under, such as a parameter's. */
export function messagesOf(content: unknown): Record<string, string[]> {
  const whole = isMapping(content) ? content : { messages: content };
  const found = new Map<string, string[]>();
  for (const [name, value] of Object.entries(whole)) {
    const lists = (name === "errors" || name === "invalid-params") && extras.listed(value);
    for (const [key, texts] of lists || [[name, flat(value)] as const]) found.set(key, [...(found.get(key) ?? []), ...texts]);
  }
  return Object.fromEntries([...found].filter(([, texts]) => texts.length));
}

/** Messages at any depth; those of nested objects name their key. */
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

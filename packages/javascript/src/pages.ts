import { DocumentNode, isPlain } from "./document.js";
import { resolve } from "./urls.js";

/** One page of a list: its items, where the next one is, and how many items there are in all. */
export interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
  readonly total: number | null;
}

const LISTS = ["results", "items", "data", "value", "content", "records", "entries"];
const NEXT = [["next"], ["links", "next"], ["_links", "next"], ["meta", "next"], ["paging", "next"], ["@odata.nextLink"]];
const TOTALS = ["count", "total", "total_count", "totalCount", "@odata.count"];

/** Return the page in a response: a list, or an object with a list. */
export function pageOf(result: unknown, headers: Headers, url: string): Page {
  const body = result instanceof DocumentNode ? result.toJSON() : result;
  const header = linkHeader(headers.get("Link") ?? "");
  if (!isPlain(body)) return { items: Array.isArray(body) ? body : [], next: absolute(header, url), total: null };
  const total = TOTALS.map((name) => body[name]).find((value) => typeof value === "number");
  return { items: itemsOf(body), next: absolute(header ?? nextOf(body), url), total: (total as number) ?? null };
}

function itemsOf(body: Record<string, unknown>): readonly unknown[] {
  const embedded = isPlain(body["_embedded"]) ? Object.values(body["_embedded"]) : [];
  const found = [...LISTS.map((name) => body[name]), ...embedded].find(Array.isArray);
  return (found as unknown[] | undefined) ?? [];
}

function nextOf(body: Record<string, unknown>): string | null {
  for (const path of NEXT) {
    const found = path.reduce<unknown>((node, key) => (isPlain(node) ? node[key] : undefined), body);
    const target = isPlain(found) ? found["href"] : found;
    if (typeof target === "string" && target) return target;
  }
  return null;
}

/** The target of rel="next" in a Link header (RFC 8288). */
function linkHeader(header: string): string | null {
  for (const [, target, parameters] of header.matchAll(/<([^>]*)>((?:\s*;[^,;"]*(?:"[^"]*")?)*)/g)) {
    if (/;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?:[\s";]|$)/i.test(parameters ?? "")) return target!;
  }
  return null;
}

function absolute(url: string | null, base: string): string | null {
  return url === null ? null : resolve(base, url);
}

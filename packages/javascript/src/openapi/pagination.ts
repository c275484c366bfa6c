import type { Field } from "../link.js";
import type { Pagination } from "../pages.js";
import { combined } from "./bodies.js";
import { BrokenReference, type Description, type Node, followed, mapping } from "./nodes.js";

/** Names of parameters that select a page, and of properties with the items and the next page. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  cursor: ["cursor", "page_token", "pageToken", "next_token", "starting_after", "after"],
  page: ["page", "page_number", "pageNumber", "page[number]"],
  offset: ["offset", "skip", "start", "page[offset]"],
};
const SIZES = ["limit", "page_size", "pageSize", "per_page", "perPage", "size", "first", "page[size]"];
const ITEMS = ["results", "items", "data", "value", "values", "records", "entries"];
const NEXT_LINKS = ["next", "@odata.nextLink", "nextLink", "next_url", "next_page_url"];
const NEXT_TOKENS = ["next", "next_page", "nextPage", "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken"];
const TOTALS = ["count", "total", "total_count", "totalCount", "@odata.count"];

/** Return how to find the next page of an operation, as far as names and headers show; null if they do not. */
export function readPagination(description: Description, fields: readonly Field[], node: Node): Pagination | null {
  const names = fields.filter(({ location }) => location === "query").map(({ name }) => name);
  const size = first(SIZES, names);
  const [style = "", known = []] = Object.entries(PAGES).find(([, each]) => first(each, names)) ?? [];
  const parameter = first(known, names);
  try {
    const good = goodResponse(description, node);
    if (!good) return null;
    if (Object.keys(mapping(good["headers"])).some((name) => name.toLowerCase() === "link")) {
      return { style: "header", parameter: first(PAGES["page"]!, names), size };
    }
    return style || size ? byProperties(propertyNames(description, good), style, parameter, size) : null;
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    return null;
  }
}

function byProperties(properties: readonly string[], style: string, parameter: string, size: string): Pagination | null {
  const shared = { parameter, size, items: first(ITEMS, properties), total: first(TOTALS, properties) };
  const token = first(NEXT_TOKENS, properties);
  if (style === "cursor" && token) return { ...shared, style, next: token };
  const following = first(NEXT_LINKS, properties);
  if (following) return { ...shared, style: "link", next: following };
  return style && style !== "cursor" ? { ...shared, style } : null;
}

function goodResponse(description: Description, node: Node): Node | null {
  const responses = Object.entries(mapping(node["responses"]));
  const [, found] = responses.find(([status]) => /^2/.test(status)) ?? [];
  return found === undefined ? null : followed(description, found, "response");
}

function propertyNames(description: Description, response: Node): string[] {
  const [media] = Object.values(mapping(response["content"]));
  const schema = description.isOld ? response["schema"] : mapping(media)["schema"];
  return [...combined(description, schema)].flatMap((each) => Object.keys(mapping(each["properties"])));
}

function first(known: readonly string[], names: readonly string[]): string {
  return known.find((name) => names.includes(name)) ?? "";
}

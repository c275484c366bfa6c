import { DocumentNode, isPlain } from "./document.js";
import { LintelError } from "./errors.js";
import { Link } from "./link.js";
import type { ParameterValues } from "./request/parameters.js";

/**
 * How to find the items of all pages. `style` is page, offset, cursor, link (a URL in the response) or header (a Link
 * header). `parameter` names the parameter that selects a page, `size` the one for the number of items. `items`,
 * `next` and `total` are dotted paths into the response.
 */
export interface Pagination {
  readonly style: string;
  readonly parameter?: string;
  readonly size?: string;
  readonly items?: string;
  readonly next?: string;
  readonly total?: string;
}

/** The words of one place in pages, with dots for deeper ones. */
function paths(text: string): string[] {
  return text.split(" ");
}

const NEXT_URLS = paths(
  "next links.next _links.next meta.next paging.next pagination.next @odata.nextLink nextLink next_page_url next_url nextPageUrl next_page links.next_page meta.links.next meta.pagination.links.next pagination.next_url",
);
const NEXT_TOKENS = paths(
  "next_cursor nextCursor next_page_token nextPageToken next_token nextToken meta.next_cursor pagination.next_cursor response_metadata.next_cursor NextToken metadata.continue continue meta.next_token pagination.next_token paging.cursors.after cursor.next next",
);
const TOKEN_PARAMETERS = paths(
  "cursor page_token pageToken next_token nextToken pagination_token after starting_after page[cursor] page[after] continuation NextToken continue",
);
const PAGE_PARAMETERS = paths("page page_number pageNumber page[number] offset skip start page[offset]");
const ITEMS = paths("results items data value entries records objects values rows data.items data.results data.data hits.hits");
const TOTALS = paths(
  "total total_count totalCount total_results totalResults @odata.count meta.total meta.total_count meta.count meta.pagination.total pagination.total page.totalElements totalElements total_items totalItems paging.total meta.totalCount hits.total.value hits.total links.total pagination.total_count",
);
const MORE = paths(
  "has_more hasMore more is_truncated isTruncated IsTruncated has_next hasNext meta.has_more pagination.has_more paging.has_more pagination.has_next",
);

/** One page of a list: the content and headers of a response. */
export class Page {
  readonly body: unknown;

  constructor(
    result: unknown,
    readonly headers: Headers,
    readonly hint: Pagination | null = null,
  ) {
    this.body = result instanceof DocumentNode ? result.toJSON() : result;
  }

  /** Return the items. Throws a LintelError with the code "parse" if it contains no list, or several. */
  items(): readonly unknown[] {
    const { body, hint } = this;
    const wanted = hint?.items ? this.at(hint.items) : body;
    if (Array.isArray(wanted)) return wanted;
    const found = body === null || hint?.items ? [] : lists(body);
    if (found[0] || body === null) return found[0] ?? [];
    throw new LintelError("parse", hint?.items ? `The page has no list at ${JSON.stringify(hint.items)}` : "The answer holds no list of items that could be told from others: say where they stand, with { pagination: { style: \"link\", items: \"path.to.list\" } }");
  }

  /** Return the URL of the next page as the response writes it, null if there is none. */
  nextURL(link: Link): string | null {
    const { hint } = this;
    const header = linkHeader(this.headers.get("Link") ?? "");
    if (header !== null) return header;
    const hasToken = Boolean(hint?.parameter) || link.fields.some(({ name }) => TOKEN_PARAMETERS.includes(name));
    const known = hint?.style === "link" && hint.next ? [hint.next] : NEXT_URLS;
    return known.map((path) => urlOf(this.at(path))).find((url) => url && (!hasToken || looksLikeURL(url))) ?? null;
  }

  /** Return the parameters that select the next page, null if there is none. */
  nextParameters(link: Link, given: ParameterValues): ParameterValues | null {
    const { hint } = this;
    if (hint?.parameter && /^(page|offset)$/.test(hint.style)) return this.#counted(hint, hint.parameter, given);
    const name = hint?.parameter || TOKEN_PARAMETERS.find((each) => link.fields.some((field) => field.name === each));
    if (!name) return null;
    const tokens = (hint?.next ? [hint.next] : NEXT_TOKENS).map((path) => this.at(path));
    const last = this.at("has_more") === true ? at(this.items().at(-1), "id") : undefined;
    const token = tokens.find(isToken) ?? last;
    return isToken(token) ? { [name]: token } : null;
  }

  /** Return what says that other pages follow, such as `has_more`; empty if nothing does. A total says nothing about a page that the caller chose. */
  signOfMore(given: ParameterValues): string {
    const sign = MORE.find((path) => this.at(path) === true) ?? NEXT_TOKENS.find((path) => isToken(this.at(path)));
    if (sign) return sign;
    const choosing = [...TOKEN_PARAMETERS, ...PAGE_PARAMETERS, this.hint?.parameter ?? ""];
    if (this.#saysLast() || choosing.some((name) => name in given)) return "";
    const total = this.#total();
    return total !== null && total > this.items().length ? `${total} items` : "";
  }

  at(path: string): unknown {
    return at(this.body, path);
  }

  /** Return the next page number or offset, until the items or the total end. */
  #counted(hint: Pagination, name: string, given: ParameterValues): ParameterValues | null {
    const { length } = this.items();
    if (!length || this.#saysLast()) return null;
    const isOffset = hint.style === "offset";
    const current = numberOf(given[name] ?? (isOffset ? 0 : 1));
    const size = hint.size ? numberOf(given[hint.size]) : null;
    if (current === null || (size && length < size)) return null;
    const following = current + (isOffset ? length : 1);
    const total = this.#total();
    return isOffset && total !== null && following >= total ? null : { [name]: following };
  }

  /** Whether a page has an empty place for the next one. */
  #saysLast(): boolean {
    return isPlain(this.body) && "next" in this.body && !this.body["next"];
  }

  #total(): number | null {
    const known = this.hint?.total ? [this.hint.total] : TOTALS;
    // In other styles, a count may be that of the one page.
    const places = Array.isArray(this.at("results")) ? ["count", ...known] : known;
    const stated = ["X-Total-Count", "X-Total", "Total-Count"].map((name) => this.headers.get(name));
    return [...places.map((path) => this.at(path)), ...stated].map(numberOf).find((each) => each !== null) ?? null;
  }
}

/** Return the value at a dotted path, or under a key that contains dots. */
function at(value: unknown, path: string): unknown {
  if (isPlain(value) && path in value) return value[path];
  return path.split(".").reduce<unknown>((node, key) => (isPlain(node) ? node[key] : undefined), value);
}

/** Return the lists that may be the items of a page, the most likely first. */
function lists(body: unknown): (readonly unknown[])[] {
  const known = ITEMS.map((path) => at(body, path)).filter(Array.isArray);
  const alone = [at(body, "_embedded"), body].flatMap((holder) => {
    const found = isPlain(holder) ? Object.values(holder).filter(Array.isArray) : [];
    return found.length === 1 ? found : [];
  });
  return [...known, ...alone];
}

function isToken(value: unknown): value is string | number {
  return (typeof value === "string" || typeof value === "number") && Boolean(value);
}

function numberOf(value: unknown): number | null {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^\d{1,15}$/.test(value));
  return isNumber && Number.isInteger(Number(value)) ? Number(value) : null;
}

function urlOf(value: unknown): string | null {
  const target = isPlain(value) ? value["href"] || value["url"] : value instanceof Link ? value.url : value;
  return typeof target === "string" && target ? target : null;
}

function looksLikeURL(text: string): boolean {
  return text.includes("://") || /^(\/|\?|\.\.?\/)/.test(text);
}

const TARGET = /\s*<([^>]*)>/y;
const PARAMETER = /\s*;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;

/** The target of the first link with rel="next" in a Link header that is about the response itself (RFC 8288). */
function linkHeader(header: string): string | null {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    at = found ? pattern.lastIndex : at;
    return found;
  };
  for (let link = take(TARGET); link; link = take(TARGET)) {
    const parameters = new Map<string, string>();
    for (let found = take(PARAMETER); found; found = take(PARAMETER)) {
      const name = found[1]!.toLowerCase();
      // If a parameter is repeated, the first counts (RFC 8288, 3.3).
      if (!parameters.has(name)) parameters.set(name, found[2] ?? found[3] ?? "");
    }
    const relations = (parameters.get("rel") ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next") && !parameters.has("anchor")) return link[1]!;
    const comma = header.indexOf(",", at);
    if (comma < 0) break;
    at = comma + 1;
  }
  return null;
}

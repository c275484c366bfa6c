/** Loads operations of large APIs on demand: on a click, a link, or from the address. */
import { choose } from "./languages.js";
import { article, reveal, text } from "./page.js";

const underWay = new Map<string, Promise<void>>();

/** Load an operation and scroll to it; do nothing for unknown names. */
export async function show(id: string, focuses = true): Promise<void> {
  const before = article(id);
  if (!before) return;
  before.scrollIntoView();
  if (before.classList.contains("closed")) await load(id);
  const found = article(id);
  found?.scrollIntoView();
  if (focuses) found?.focus({ preventScroll: true });
  mark(id);
}

function load(id: string): Promise<void> {
  const known = underWay.get(id) ?? fill(id).finally(() => underWay.delete(id));
  underWay.set(id, known);
  return known;
}

async function fill(id: string): Promise<void> {
  const closed = article(id)!;
  const link = closed.querySelector<HTMLAnchorElement>("[data-more]")!;
  const before = link.textContent;
  link.textContent = text("loading");
  try {
    const response = await fetch(link.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.getElementById(id);
    if (!response.ok || !found || found.classList.contains("closed")) throw new Error(String(response.status));
    closed.replaceWith(document.adoptNode(found));
    reveal(found);
    choose(document.body.dataset["language"] ?? "", found);
  } catch {
    link.textContent = before;
    link.setAttribute("title", text("failed"));
  }
}

/** Mark the visible operation in the navigation. */
function mark(id: string): void {
  for (const each of document.querySelectorAll(".sidebar [aria-current]")) each.removeAttribute("aria-current");
  listed(id)?.setAttribute("aria-current", "true");
}

function listed(id: string): HTMLAnchorElement | null {
  return document.querySelector(`.sidebar [data-operation-link="${CSS.escape(id)}"]`);
}

function fromAddress(): void {
  const id = decoded(location.hash.slice(1));
  if (id) void show(id);
}

function decoded(words: string): string {
  try {
    return decodeURIComponent(words);
  } catch {
    return words;
  }
}

/** Go to an operation, on this page or its own, so that the back button returns here. */
export function go(id: string): void {
  if (!article(id)) return location.assign(listed(id)?.href ?? `?operation=${encodeURIComponent(id)}`);
  const hash = `#${encodeURIComponent(id)}`;
  if (location.hash === hash) void show(id);
  else location.hash = hash;
}

document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-operation-link], a[data-more], .operation h3 a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const id = decoded(link.hash.slice(1));
  if (!article(id)) return;
  event.preventDefault();
  go(id);
});
addEventListener("hashchange", fromAddress);
fromAddress();

/** Loads operations of large APIs on demand: on a click, a link, or from the address. */
import { choose } from "./languages.js";
import { addressOf, article, decoded, idOf, reveal, text } from "./page.js";

const underWay = new Map<string, Promise<void>>();

/** Load an operation and scroll to it; do nothing for unknown names. */
export async function show(id: string, focuses = true): Promise<void> {
  const before = article(id);
  if (!before && !groupOf(id)) return;
  (before ?? groupOf(id))!.scrollIntoView();
  if (!before || before.classList.contains("closed")) await load(id);
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
  const link = (article(id) ?? groupOf(id))?.querySelector<HTMLAnchorElement>("[data-more], [data-group]");
  await telling(link, async () => {
    const found = (await operationsOf(addressOf(id))).find((each) => each.id === id);
    if (!found || found.classList.contains("closed")) throw new Error(id);
    put(found);
  });
}

/** Show all operations of a group in place of the link to them. */
async function showGroup(link: HTMLAnchorElement): Promise<void> {
  await telling(link, async () => {
    const found = await operationsOf(link.href);
    for (const each of found) if (article(each.id)?.classList.contains("closed") ?? true) put(each);
    link.parentElement!.remove();
    article(found[0]!.id)?.focus({ preventScroll: true });
  });
}

/** Say on a link that something is loaded, or that it could not be. */
async function telling(link: HTMLAnchorElement | null | undefined, work: () => Promise<void>): Promise<void> {
  const before = link?.textContent ?? "";
  if (link) link.textContent = text("loading");
  try {
    await work();
  } catch {
    link?.setAttribute("title", text("failed"));
  }
  if (link) link.textContent = before;
}

async function operationsOf(address: string): Promise<HTMLElement[]> {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...page.querySelectorAll<HTMLElement>("article.operation")];
}

/** Put an operation in its place: that of its line, else before those that come after it. */
function put(operation: HTMLElement): void {
  const found = document.adoptNode(operation);
  const [closed, group] = [article(found.id), groupOf(found.id)];
  if (closed) closed.replaceWith(found);
  else group?.insertBefore(found, following(found.id) ?? group.querySelector(":scope > p"));
  reveal(found);
  choose(document.body.dataset["language"] ?? "", found);
}

function following(id: string): HTMLElement | null {
  for (let line = listed(id)?.closest("li")?.nextElementSibling; line; line = line.nextElementSibling) {
    const found = article(idOf(line.querySelector("a")!));
    if (found) return found;
  }
  return null;
}

/** Return the section for an operation that may not be loaded: groups are in the order of the navigation. */
function groupOf(id: string): HTMLElement | null {
  const group = listed(id)?.closest("ul")?.closest("li");
  const at = group ? [...group.parentElement!.children].indexOf(group) : -1;
  return document.querySelectorAll<HTMLElement>("main section[data-part]")[at] ?? null;
}

/** Mark the visible operation in the navigation. */
function mark(id: string): void {
  for (const each of document.querySelectorAll(".sidebar [aria-current]")) each.removeAttribute("aria-current");
  listed(id)?.setAttribute("aria-current", "true");
}

function listed(id: string): HTMLAnchorElement | null {
  return [...document.querySelectorAll<HTMLAnchorElement>(".sidebar [data-operation-link]")].find((link) => idOf(link) === id) ?? null;
}

function fromAddress(): void {
  const id = decoded(location.hash.slice(1));
  if (id) void show(id);
}

/** Go to an operation, on this page or its own, so that the back button returns here. */
export function go(id: string): void {
  if (!article(id) && !groupOf(id)) return location.assign(listed(id)?.href ?? addressOf(id));
  const hash = `#${encodeURIComponent(id)}`;
  if (location.hash === hash) void show(id);
  else location.hash = hash;
}

document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-operation-link], a[data-more], a[data-group], .operation h3 a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.matches("[data-group]")) {
    event.preventDefault();
    return void showGroup(link);
  }
  const id = idOf(link);
  if (!article(id) && !groupOf(id)) return;
  event.preventDefault();
  go(id);
});
addEventListener("hashchange", fromAddress);
fromAddress();

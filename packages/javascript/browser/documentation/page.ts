/** What all parts of the script share: the client, the texts of the page, and finding elements. */
import type * as Lintel from "../../src/index.js";

declare global {
  interface Window {
    lintel: typeof Lintel;
    schema?: Lintel.Document;
  }
}

export const lintel = window.lintel;

const texts: Record<string, string> = JSON.parse(document.getElementById("docs:texts")?.textContent ?? "{}");

/** Return a text in the language of the page; `count` fills its placeholder. */
export function text(name: string, count?: number): string {
  return (texts[name] ?? name).replace("{count}", count === undefined ? "" : count.toLocaleString(document.documentElement.lang));
}

/** Return a required element of the page. */
export function the<T extends HTMLElement>(selector: string, parent: ParentNode = document): T {
  const found = parent.querySelector<T>(selector);
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
}

export function write(parent: ParentNode, selector: string, words: string): void {
  the(selector, parent).textContent = words;
}

/** Show the controls that need this script. */
export function reveal(parent: ParentNode): void {
  for (const element of parent.querySelectorAll<HTMLElement>("[data-needs-script]")) element.hidden = false;
}

/** Return the id of the operation that a link leads to, on this page or its own. */
export function idOf(link: HTMLAnchorElement): string {
  return link.dataset["operationLink"] || new URLSearchParams(link.search).get("operation") || decoded(link.hash.slice(1));
}

/** Return the address of an operation's own page. */
export function addressOf(id: string): string {
  return `${location.href.replace(/[?#].*/, "")}?operation=${encodeURIComponent(id)}`;
}

export function decoded(words: string): string {
  try {
    return decodeURIComponent(words);
  } catch {
    return words;
  }
}

/** Return the article of an operation on this page; null for other ids. */
export function article(id: string): HTMLElement | null {
  const found = document.getElementById(id);
  return found?.matches("article.operation") ? found : null;
}

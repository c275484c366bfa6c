/** Search over the operations: "/" leads to it, arrows choose, Enter opens. */
import { go } from "./opening.js";
import { idOf, text, the } from "./page.js";

interface Entry {
  readonly id: string;
  readonly method: string;
  readonly name: string;
  readonly path: string;
  readonly words: string;
}

/** The most results shown: nobody reads more, and layout takes time. */
const MOST = 30;

const input = the<HTMLInputElement>("[role=combobox]");
const list = the<HTMLUListElement>("[role=listbox]");
const status = the("[data-found]");
let entries: Entry[] | null = null;
let chosen = -1;

/** Return all operations from the navigation; the page itself may show only one. */
function all(): Entry[] {
  entries ??= [...document.querySelectorAll<HTMLAnchorElement>(".sidebar [data-operation-link]")].map((link) => {
    const [id, path] = [idOf(link), link.title];
    const section = link.closest("ul")?.parentElement?.querySelector("h2")?.textContent ?? "";
    const method = link.querySelector(".method")?.textContent ?? "";
    const name = [section, link.lastChild?.textContent?.trim()].filter(Boolean).join(" / ");
    const more = document.getElementById(id)?.querySelector(".description, .note")?.textContent ?? "";
    return { id, method, name, path, words: [name, id, method, path, more].join(" ").toLowerCase() };
  });
  return entries;
}

/** Return operations that contain every word; names that begin with the first word come first. */
function matching(query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all().filter((entry) => words.every((word) => entry.words.includes(word)));
  const rank = (entry: Entry) => (entry.name.toLowerCase().includes(words[0] ?? "") ? 0 : entry.path.includes(words[0] ?? "") ? 1 : 2);
  return found.sort((left, right) => rank(left) - rank(right));
}

function option(entry: Entry, at: number): HTMLElement {
  const element = document.createElement("li");
  element.id = `docs:option-${at}`;
  element.role = "option";
  element.dataset["id"] = entry.id;
  element.setAttribute("aria-selected", "false");
  const method = Object.assign(document.createElement("span"), { className: `method ${entry.method.toLowerCase()}`, textContent: entry.method });
  const path = Object.assign(document.createElement("small"), { textContent: entry.path });
  element.append(method, Object.assign(document.createElement("span"), { textContent: entry.name }), path);
  return element;
}

function search(): void {
  const found = input.value.trim() ? matching(input.value) : [];
  list.replaceChildren(...found.slice(0, MOST).map(option));
  status.textContent = !input.value.trim() ? "" : found.length ? text("found", found.length) : text("none");
  open(input.value.trim() !== "" && found.length > 0);
  choose(found.length ? 0 : -1);
}

function open(isOpen: boolean): void {
  list.hidden = !isOpen;
  input.setAttribute("aria-expanded", String(isOpen));
}

function choose(at: number): void {
  const options = [...list.children];
  chosen = options.length ? (at + options.length) % options.length : -1;
  options.forEach((element, number) => element.setAttribute("aria-selected", String(number === chosen)));
  options[chosen]?.scrollIntoView({ block: "nearest" });
  if (chosen < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", options[chosen]!.id);
}

function take(element: Element | undefined | null): void {
  const id = (element as HTMLElement | null)?.dataset["id"];
  if (!id) return;
  open(false);
  input.value = "";
  input.blur();
  go(id);
}

const KEYS: Record<string, () => void> = {
  ArrowDown: () => (list.hidden ? search() : choose(chosen + 1)),
  ArrowUp: () => choose(chosen - 1),
  Enter: () => take(list.hidden ? null : list.children[chosen]),
  Escape: () => (list.hidden ? (input.value = "") : open(false)),
};

input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  const act = event.isComposing ? undefined : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
input.addEventListener("blur", () => open(false));
list.addEventListener("pointerdown", (event) => {
  event.preventDefault();
  take((event.target as Element).closest("[role=option]"));
});
document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  const isBusy = target.isContentEditable || target.matches("input, textarea, select") || document.querySelector("dialog[open]");
  if (event.key !== "/" || isBusy || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
});

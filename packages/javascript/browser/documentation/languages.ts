/** Tabs of languages beside each operation: one choice holds for the whole page, and for the next one. */

const KEY = "lintel-docs-language";
const TABS = "[role=tab][data-language]";

/** Show the samples of a language everywhere below `root`; do nothing for a language without tabs. */
export function choose(language: string, root: ParentNode = document): void {
  if (!root.querySelector(`[data-panel="${CSS.escape(language)}"]`)) return;
  document.body.dataset["language"] = language;
  for (const tab of root.querySelectorAll<HTMLElement>(TABS)) {
    const isChosen = tab.dataset["language"] === language;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  for (const panel of root.querySelectorAll<HTMLElement>("[data-panel]")) panel.hidden = panel.dataset["panel"] !== language;
}

/** Choose as the reader asks, and leave the tab where it is on the screen. */
function take(tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top;
  choose(tab.dataset["language"]!);
  tab.focus({ preventScroll: true });
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  try {
    localStorage.setItem(KEY, tab.dataset["language"]!);
  } catch {
    // Without storage, the choice holds for this page.
  }
}

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

const MOVES: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

document.addEventListener("click", (event) => {
  const tab = (event.target as Element).closest<HTMLElement>(TABS);
  if (tab) take(tab);
});
document.addEventListener("keydown", (event) => {
  const tab = (event.target as Element).closest<HTMLElement>(TABS);
  const isLeftward = document.documentElement.dir === "rtl" && event.key.startsWith("Arrow");
  const key = isLeftward ? { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[event.key] : event.key;
  const move = tab && key ? MOVES[key] : undefined;
  if (!tab || !move) return;
  event.preventDefault();
  const tabs = [...tab.parentElement!.querySelectorAll<HTMLElement>(TABS)];
  take(tabs[move(tabs.indexOf(tab), tabs.length)]!);
});
choose(remembered());

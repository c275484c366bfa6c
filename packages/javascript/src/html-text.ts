import { printable } from "./controls.js";

/** The most that is read of a page, and that is returned, in characters. */
const LONGEST_PAGE = 50_000;
const LONGEST_TEXT = 1_000;

const TITLE = /<title\b[^<>]*>([^<]*)/i;
/** Elements whose content is not text for readers. */
const HIDDEN = new Set(["noscript", "script", "style", "svg", "template", "textarea", "title"]);
/** Of these, no text is read twice: a page may consist of what looks like the beginning of one. */
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>|<!--[^]*?(?:-->|$)|<!(?!--)[^<>]*>/g;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", mdash: "—", ndash: "–" };

/** Return the title of an HTML page and its visible text, on one line: servers send such pages as errors. */
export function htmlText(whole: string): string {
  const page = whole.slice(0, LONGEST_PAGE);
  const name = oneLine(TITLE.exec(page)?.[1] ?? "");
  const text = oneLine(visible(page).join(" "));
  const found = text.startsWith(name) ? text : text ? `${name}: ${text}` : name;
  return found.length <= LONGEST_TEXT ? found : `${found.slice(0, LONGEST_TEXT)}…`;
}

function visible(page: string): string[] {
  const found: string[] = [];
  let start = 0;
  let hidden = "";
  for (const tag of page.matchAll(TAG)) {
    if (!hidden) found.push(page.slice(start, tag.index));
    start = tag.index + tag[0].length;
    const name = (tag[2] ?? "").toLowerCase();
    if (!hidden && HIDDEN.has(name) && !tag[1]) hidden = name;
    else if (name === hidden && tag[1]) hidden = "";
  }
  if (!hidden) found.push(page.slice(start));
  return found;
}

function oneLine(text: string): string {
  return printable(text.replace(/&(#x?)?([0-9a-z]{1,10});/gi, character).split(/\s+/).filter(Boolean).join(" "));
}

function character(whole: string, number: string | undefined, name: string): string {
  if (!number) return NAMED[name] ?? whole;
  const code = parseInt(name, number.length > 1 ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

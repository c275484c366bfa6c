/** The gallery: a site with one page of each kind (tests/gallery of the repository), and how to get to each. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";

const SITE = fileURLToPath(new URL("../../../tests/gallery/serve.py", import.meta.url));

export interface Gallery {
  address: string;
  stop: () => void;
}

export interface Kind {
  /** The path below the gallery's URL. */
  path: string;
  /** The text of the first heading. */
  title: string;
  /** Selectors of elements that must be visible. */
  shows: string[];
  /** For visitors who have not logged in. */
  guest?: boolean;
  /** Actions needed before the page is in the expected state. */
  act?: (page: Page) => Promise<unknown>;
}

const EXCHANGE = [".request-line", ".status", "pre.content"];
const HEAD = ["header .brand a", "nav[aria-label] [aria-current=page]", "[data-theme-switch]"];

export const KINDS: Record<string, Kind> = {
  root: { path: "", title: "Shelf", shows: [...HEAD, ...EXCHANGE, "pre.content a"] },
  list: {
    path: "books/",
    title: "Book List",
    shows: [...HEAD, ...EXCHANGE, ".filter-panel summary", ".pages [aria-current=page]", "form[method=post] [name=title]", "details.menu"],
  },
  "list-for-guests": { path: "books/", title: "Book List", guest: true, shows: [...HEAD, ...EXCHANGE, ".user a[href*=login]"] },
  filters: {
    path: "books/?search=salt&genre=novel&ordering=-pages",
    title: "Book List",
    shows: [".list-tools [type=search]", ".list-tools .ordering select", ".list-tools .clear", ".filter-panel[open] [name=genre]"],
  },
  "filters-by-field": { path: "catalogue/?pages__gte=100", title: "Catalogue List", shows: [".filter-panel[open] [name=notes__icontains]", ".filter-panel [type=submit]"] },
  "filter-refused": { path: "catalogue/?pages__gte=few", title: "Catalogue List", shows: [...EXCHANGE, ".status-4", ".filter-panel[open] [name=pages__gte]", ".list-tools .clear"] },
  cursor: { path: "authors/", title: "Author List", shows: [...EXCHANGE, ".pages [rel=next]"] },
  detail: { path: "books/4/", title: "Salt", shows: [...HEAD, ...EXCHANGE, "#put [name=title]", ".method-delete", ".method-options"] },
  menu: {
    path: "books/4/",
    title: "Salt",
    shows: [".menu[open] > ul"],
    act: (page) => page.locator(".actions > .menu > summary").last().click(),
  },
  "form-with-errors": { path: "books/", title: "Book List", shows: [".status-4", "#post .field-error"], act: refused },
  "form-of-all-kinds": {
    path: "register/",
    title: "Register",
    shows: [".error-summary", ".field-group", "[type=file]", "[type=password]", "[type=radio]", "#post [type=checkbox]", "select[multiple]", "textarea"],
    act: async (page) => {
      await page.locator("#post form [type=submit]").first().click();
      await page.waitForSelector(".error-summary");
    },
  },
  "form-of-an-action": { path: "books/4/lend/", title: "Lend", shows: [...HEAD, "#post [name=title]", ".quiet-answer summary"] },
  "form-of-lists": {
    path: "orders/",
    title: "Orders",
    shows: ["[name='words[0]']", "#post-sizes [data-key]", "[name='lines[0]title']", "[name='lines[0]marks[0]']"],
    act: async (page) => {
      for (const name of ["words", "sizes", "lines", "lines-0-marks"]) await page.click(`#post-${name} > [data-adds]`);
    },
  },
  search: {
    path: "large/",
    title: "Large Tables",
    shows: ["#post-first", "[role=listbox] [role=option]"],
    act: async (page) => {
      await page.fill("#post-first", "salt");
      await page.waitForSelector("[role=option]");
    },
  },
  "login-in-place": { path: "staff/", title: "Staff List", guest: true, shows: [".login-here [name=username]", ".login-here button"] },
  login: { path: "account/login/", title: "Log in", guest: true, shows: [".login [name=username]", ".login [name=password]"] },
  "login-refused": {
    path: "account/login/",
    title: "Log in",
    guest: true,
    shows: [".login [role=alert]"],
    act: async (page) => {
      await page.fill("[name=username]", "ada");
      await page.fill("[name=password]", "wrong");
      await submitted(page, ".login form");
    },
  },
  routes: {
    path: "routes/",
    title: "Routes by time",
    shows: ["thead th", "tbody td"],
    act: (page) => page.reload(),
  },
  forbidden: { path: "staff/", title: "Staff List", shows: [...HEAD, ...EXCHANGE, ".status-4"] },
  "not-found": { path: "books/999/", title: "Book Instance", shows: [...HEAD, ...EXCHANGE, ".status-4"] },
  "server-error": { path: "broken/", title: "Broken", shows: [...EXCHANGE, ".status-5"] },
  options: {
    path: "books/",
    title: "Book List",
    shows: [...EXCHANGE],
    act: async (page) => {
      await page.click(".method-options");
      await page.waitForSelector("text=OPTIONS /books/");
    },
  },
  "admin-list": { path: "books/?format=admin", title: "Book List", shows: [...HEAD, "table thead th", "th a.order", "tbody a.opener", ".list-tools [type=search]", "#create [name=title]"] },
  "admin-ordered": { path: "catalogue/?format=admin&search=a&ordering=-author__name", title: "Catalogue List", shows: ["[aria-sort=descending] a", "tbody a.opener", ".list-tools .clear"] },
  "admin-empty": { path: "catalogue/?format=admin&search=nothing", title: "Catalogue List", shows: [".nothing", ".list-tools [type=search]"] },
  documentation: {
    path: "docs/?operation=books-create",
    title: "Shelf",
    shows: ["header .brand", "[data-theme-switch]", "#docs\\:search", "[data-choose=auth]", ".sidebar a", ".operation .values", "[data-sample=shell]", ".samples [data-copy]"],
  },
  "documentation-search": {
    path: "docs/?operation=books-create",
    title: "Shelf",
    shows: ["[role=option][aria-selected=true]"],
    act: async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("books");
    },
  },
  "documentation-trial": {
    path: "docs/?operation=books-list",
    title: "Shelf",
    shows: ["#interact .field", "#interact .status", "#interact .body"],
    act: async (page) => {
      await page.click("[data-operation=books-list]");
      await page.click("#interact [type=submit]");
      await page.waitForSelector("#interact .status:not(:empty)");
    },
  },
  "documentation-login": { path: "docs/?operation=books-create", title: "Shelf", guest: true, shows: ["dialog[open] [name=username]"], act: (page) => page.selectOption("[data-choose=auth]", "session") },
  "admin-detail": { path: "books/4/?format=admin", title: "Salt", shows: [...HEAD, "table th[scope=row]", "#edit [name=title]"] },
};

/** Start the site on a loopback port, with some settings of Django turned on. */
export async function open(...switches: string[]): Promise<Gallery> {
  const env = { ...process.env, GALLERY_SWITCHES: switches.join(" ") };
  const server = spawn("python3", [SITE], { stdio: ["pipe", "pipe", "inherit"], env });
  return { address: await firstLine(server), stop: () => void server.stdin.end() };
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stdout!.once("data", (line: Buffer) => resolve(String(line).trim()));
    server.once("exit", () => reject(new Error("the gallery did not open")));
  });
}

/** Start a browser session of a logged-in user or of a guest. */
export async function visitor(browser: Browser, gallery: Gallery, options: { guest?: boolean; locale?: string; javaScriptEnabled?: boolean } = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: options.locale ?? "en", javaScriptEnabled: options.javaScriptEnabled ?? true, reducedMotion: "reduce" });
  if (options.guest) return context;
  const page = await context.newPage();
  await page.goto(`${gallery.address}account/login/?next=/`);
  await page.fill("[name=username]", "ada");
  await page.fill("[name=password]", "correct horse");
  await submitted(page, ".login form");
  await page.close();
  return context;
}

/** Go to a page and do its actions. */
export async function go(page: Page, gallery: Gallery, kind: Kind): Promise<void> {
  await page.goto(gallery.address + kind.path, { waitUntil: "load" });
  await kind.act?.(page);
}

async function submitted(page: Page, form: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator(`${form} [type=submit]`).first().click()]);
}

async function refused(page: Page): Promise<void> {
  await page.locator("#post form[method=post] [type=submit]").first().click();
  await page.waitForSelector(".error-summary");
}

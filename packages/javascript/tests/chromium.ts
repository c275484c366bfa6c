import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Start the system's Chromium, with a new, empty user data folder. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ARGUMENTS });
}

/** Return a list that collects violations of the page's content security policy and script errors. */
export function watched(page: Page): string[] {
  const violations: string[] = [];
  page.on("console", (message) => message.type() === "error" && /Content Security Policy/.test(message.text()) && violations.push(message.text()));
  page.on("pageerror", (error) => violations.push(String(error)));
  return violations;
}

/** Log in to the service in this browser. */
export async function login(context: BrowserContext, service: string): Promise<void> {
  const form = await context.newPage();
  await form.goto(`${service}auth/login/`);
  await form.fill("[name=username]", "ada");
  await form.fill("[name=password]", "correct horse");
  await Promise.all([form.waitForNavigation(), form.press("[name=password]", "Enter")]);
  await form.close();
}

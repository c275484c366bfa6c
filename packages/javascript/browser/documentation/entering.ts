/** The reader's credentials. They live as long as the page; nothing is stored. */
import type { Auth } from "../../src/index.js";
import type { OutgoingRequest } from "../../src/request/building.js";
import { lintel, text, the } from "./page.js";

interface Credentials {
  readonly auth?: Auth;
  readonly headers?: Readonly<Record<string, string>>;
}

let current: Credentials = {};
let kind = "";
let csrfToken = document.body.dataset["csrfToken"] ?? "";

/** Return the chosen authentication, or the header with the key; neither for anonymous. */
export function credentials(): Credentials {
  return current;
}

/** Uses the browser's session, even if scripts cannot read the CSRF cookie: the page then has the token. */
class PageSession extends lintel.SessionAuthentication {
  protected override csrf(request: OutgoingRequest, cookies: string): [string, string][] {
    const isSafe = ["GET", "HEAD", "OPTIONS", "TRACE"].includes(request.method);
    return csrfToken && !isSafe ? [[this.csrfHeaderName, csrfToken]] : super.csrf(request, cookies);
  }
}

function authentication(chosen: string, values: Record<string, string>): Auth {
  if (chosen === "token") return new lintel.TokenAuthentication({ scheme: values["scheme"]!, token: values["token"]! });
  if (chosen === "basic") return new lintel.BasicAuthentication({ username: values["username"]!, password: values["password"]! });
  const { csrfCookie = "", csrfHeader = "" } = document.body.dataset;
  return new PageSession({ csrfCookieName: csrfCookie, csrfHeaderName: csrfHeader });
}

/** Return the header with a key. Throws a TypeError for a key that no header can carry. */
function keyHeader(dialog: HTMLDialogElement, key: string): Record<string, string> {
  const headers = { [dialog.dataset["header"]!]: key };
  new lintel.HTTPTransport({ headers });
  return headers;
}

// ---- the session ----

/** Return the CSRF token in the form of the login page, which works wherever the server stores it. */
async function tokenOf(page: string): Promise<string> {
  const response = await fetch(page, { credentials: "same-origin", headers: { Accept: "text/html" } });
  const form = new DOMParser().parseFromString(await response.text(), "text/html");
  return form.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
}

/** Log in as the form of the login page would. Returns whether that succeeded. */
async function logIn(page: string, username: string, password: string): Promise<boolean> {
  const body = new URLSearchParams({ csrfmiddlewaretoken: await tokenOf(page), username, password });
  // A successful login redirects, a failed one shows its form again.
  const response = await fetch(page, { method: "POST", body, credentials: "same-origin", redirect: "manual" });
  return response.type === "opaqueredirect";
}

async function enter(dialog: HTMLDialogElement, values: Record<string, string>): Promise<boolean> {
  const { login, user } = dialog.dataset;
  if (login && !user) {
    if (!(await logIn(login, values["username"] ?? "", values["password"] ?? ""))) return false;
    dialog.dataset["user"] = values["username"]!;
    csrfToken = "";
    showUser(dialog, values["username"]!);
  }
  if (login && !document.body.dataset["csrfCookie"]) csrfToken ||= await tokenOf(login);
  return true;
}

function showUser(dialog: HTMLDialogElement, name: string): void {
  the("[data-user-name]", dialog).textContent = name;
  for (const part of dialog.querySelectorAll<HTMLElement>("[data-for]")) part.hidden = part.dataset["for"] !== "user";
}

// ---- the dialogs ----

const choice = document.querySelector<HTMLSelectElement>("[data-choose=auth]");
choice?.addEventListener("change", () => {
  const dialog = document.querySelector<HTMLDialogElement>(`dialog[data-auth="${choice.value}"]`);
  if (dialog) dialog.showModal();
  else [current, kind] = [{}, ""];
});
// The page chooses the session of a reader who is logged in.
if (choice?.value === "session") [current, kind] = [{ auth: authentication("session", {}) }, "session"];

for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[data-auth]")) {
  const form = the<HTMLFormElement>("form", dialog);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void use(dialog, form);
  });
  dialog.addEventListener("close", () => {
    // Clear the inputs: the client now holds the secrets.
    form.reset();
    if (choice) choice.value = kind;
  });
}

async function use(dialog: HTMLDialogElement, form: HTMLFormElement): Promise<void> {
  const chosen = dialog.dataset["auth"]!;
  const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const send = the<HTMLButtonElement>("[type=submit]", form);
  send.disabled = true;
  try {
    const isIn = chosen !== "session" || (await enter(dialog, values));
    complain(dialog, isIn ? "" : text("refused"));
    if (!isIn) return;
    current = chosen === "key" ? { headers: keyHeader(dialog, values["key"]!) } : { auth: authentication(chosen, values) };
    kind = chosen;
    dialog.close();
  } catch (error) {
    refuse(form, (error as Error).message);
  } finally {
    send.disabled = false;
  }
}

function complain(dialog: HTMLDialogElement, message: string): void {
  const place = dialog.querySelector<HTMLElement>("[data-refused]");
  if (!place) return;
  place.textContent = message;
  place.hidden = !message;
}

function refuse(form: HTMLFormElement, message: string): void {
  const first = form.querySelector("input");
  if (!first) return;
  first.setCustomValidity(message);
  first.reportValidity();
  first.addEventListener("input", () => first.setCustomValidity(""), { once: true });
}

/** The form of an operation: sends with the client, and shows the request and the response. */
import type { ActionOptions, Document, LintelError } from "../../src/index.js";
import { credentials } from "./entering.js";
import { type Operation, controlAt, labelled, valueOf } from "./fields.js";
import { addressOf, lintel, text, the, write } from "./page.js";

type Transport = InstanceType<typeof lintel.HTTPTransport>;
type Sending = Parameters<Transport["send"]>;

const dialog = the<HTMLDialogElement>("#interact");
const form = the<HTMLFormElement>("form", dialog);
const outcome = the(".outcome", dialog);
const problem = the(".problem", dialog);
const send = the<HTMLButtonElement>("[type=submit]", dialog);
const save = the<HTMLButtonElement>(".save", dialog);
let operation: Operation;
let shown = "";
const fetched = new Map<string, Document>();
let calls: AbortController | null = null;

/** What the reader last entered for each header parameter: most operations need the same, such as a tenant. */
const lastHeaders = new Map<string, string>();

document.addEventListener("click", (event) => {
  const target = event.target as Element;
  target.closest("[data-close]")?.closest("dialog")?.close();
  const button = target.closest<HTMLElement>("[data-operation]");
  if (button) open(button.dataset["operation"]!);
});
dialog.addEventListener("close", () => calls?.abort());

function open(id: string): void {
  shown = id;
  operation = JSON.parse(document.getElementById(`facts-${id}`)!.textContent!) as Operation;
  write(dialog, "h2", operation.title);
  write(dialog, ".method", operation.method);
  the(".method", dialog).className = `method ${operation.method.toLowerCase()}`;
  write(dialog, ".path", operation.path);
  const rows = operation.fields.map(labelled);
  the(".fields", dialog).replaceChildren(...(rows.length ? rows : [text("noParameters")]));
  forHeaders((control, name) => (control.value = lastHeaders.get(name) ?? ""));
  problem.hidden = outcome.hidden = true;
  dialog.showModal();
}

function forHeaders(use: (control: ReturnType<typeof controlAt>, name: string) => void): void {
  operation.fields.forEach(({ location, name }, at) => location === "header" && use(controlAt(at), name));
}

function parameters(): Record<string, unknown> {
  return Object.fromEntries(operation.fields.map((field, at) => [field.client_name, valueOf(field, controlAt(at))]));
}

/** Choose the form if a file is sent where JSON comes first. */
function overrides(): ActionOptions {
  const encoding = operation.form_encoding;
  const hasFile = operation.fields.some((field, at) => field.is_file && valueOf(field, controlAt(at)) !== undefined);
  return encoding && hasFile ? { overrides: { encoding } } : {};
}

// ---- the exchange ----

/** Sends as the client does, and keeps the exchange for display. */
class Witness {
  readonly #transport = new lintel.HTTPTransport({ headers: credentials().headers ?? {} });
  readonly schemes = this.#transport.schemes;
  request: Sending[0] | null = null;
  response: Response | null = null;
  content = new Blob();
  time = 0;

  async send(...[request, options]: Sending): Promise<Response> {
    this.request = this.#transport.prepared(request);
    this.response = null;
    const start = performance.now();
    const response = await this.#transport.send(request, options);
    this.content = await response.clone().blob();
    this.time = performance.now() - start;
    this.response = response;
    return response;
  }
}

function clientWith(transport: Witness): InstanceType<typeof lintel.Client> {
  return new lintel.Client({ auth: credentials().auth, transports: [transport] });
}

/** Return the document that `schema.js` has set; a page without it fetches what describes the operation. */
async function schema(): Promise<Document> {
  const found = window.schema ?? fetched.get(shown) ?? ((await clientWith(new Witness()).get(addressOf(shown))) as Document);
  fetched.set(shown, found);
  return found;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const witness = new Witness();
  calls = new AbortController();
  const { signal } = calls;
  send.disabled = true;
  complain("", {});
  forHeaders((control, name) => lastHeaders.set(name, control.value));
  try {
    const client = clientWith(witness);
    const result = await client.action(await schema(), operation.keys, parameters(), { signal, ...overrides() });
    await (result as { stream?: ReadableStream } | null)?.stream?.cancel();
  } catch (error) {
    const { message, messages } = error as LintelError;
    if (!signal.aborted) complain(witness.response ? "" : message, messages ?? {});
  } finally {
    send.disabled = false;
  }
  outcome.hidden = !witness.request || signal.aborted;
  if (!outcome.hidden) await show(witness);
});

/** Show messages beside the controls they name, else above the form. */
function complain(message: string, byName: Readonly<Record<string, readonly string[]>>): void {
  let isNamed = false;
  operation.fields.forEach((field, at) => {
    const element = controlAt(at);
    const lines = byName[field.client_name] ?? byName[field.name] ?? [];
    isNamed ||= lines.length > 0;
    element.setAttribute("aria-invalid", String(lines.length > 0));
    write(element.parentElement!, ".field-error", lines.join(" "));
  });
  problem.hidden = !message || isNamed;
  problem.textContent = message;
  form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

async function show({ request, response, content, time }: Witness): Promise<void> {
  if (!request) return;
  const sent = [`${request.method} ${request.url}`, ...lines(request.headers), "", await readable(request.body)];
  write(outcome, ".request", sent.join("\n").trim());
  write(outcome, ".status", response ? `${response.status} ${response.statusText}`.trim() : text("noAnswer"));
  write(outcome, ".time", response ? `${Math.round(time)} ms` : "");
  write(outcome, ".size", response ? text("bytes", content.size) : "");
  write(outcome, ".response-headers", response ? lines(response.headers).join("\n") : "");
  write(outcome, ".body", response ? await readable(content) : "");
  outcome.dataset["class"] = response ? String(response.status)[0] : "5";
  save.hidden = !response || !content.size;
  save.onclick = () => saved(content, request.url);
  outcome.scrollIntoView({ block: "nearest" });
}

/** Return headers as lines, with credentials hidden. */
function lines(headers: Iterable<readonly [string, string]>): string[] {
  const secret = ["authorization", (document.body.dataset["csrfHeader"] ?? "").toLowerCase()];
  const keys = Object.keys(credentials().headers ?? {}).map((name) => name.toLowerCase());
  return [...headers].map(([name, value]) => {
    if (keys.includes(name.toLowerCase())) return `${name}: …`;
    return `${name}: ${secret.includes(name.toLowerCase()) ? value.replace(/(^|\s)\S*$/, "$1…") : value}`;
  });
}

/** The most characters of a body that are displayed. */
const MOST = 500_000;

async function readable(body: unknown): Promise<string> {
  const blob = body instanceof Blob ? body : new Blob(body === null || body === undefined ? [] : [body as BlobPart]);
  const part = await blob.slice(0, MOST).text();
  const shown = blob.size > MOST ? `${part}\n${text("inAll", blob.size)}` : part;
  if (/[\0\ufffd]/.test(part)) return text("notText", blob.size);
  // Numbers that JavaScript cannot represent are shown as received.
  if (/\d{16}/.test(part)) return shown;
  try {
    return JSON.stringify(JSON.parse(part), null, 2);
  } catch {
    return shown;
  }
}

function saved(content: Blob, url: string): void {
  const name = new URL(url).pathname.split("/").filter(Boolean).pop() ?? "response";
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

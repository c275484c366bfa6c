// The documentation page: choices of the reader, and requests that the JavaScript client sends.
"use strict";

(() => {
  const lintel = window.lintel;
  // Lives as long as the page; nothing is stored.
  let auth = null;
  let authKind = "";

  for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;
  if (matchMedia("(max-width: 48rem)").matches) {
    document.querySelector("details.operations")?.removeAttribute("open");
  }

  function text(parent, selector, value) {
    parent.querySelector(selector).textContent = value;
  }

  // ---- choices ----

  const language = document.querySelector("[data-choose=language]");
  language?.addEventListener("change", () => (document.body.dataset.language = language.value));

  const choice = document.querySelector("[data-choose=auth]");
  choice?.addEventListener("change", () => {
    const chosen = document.querySelector(`dialog[data-auth="${choice.value}"]`);
    if (chosen) chosen.showModal();
    else [auth, authKind] = [null, ""];
  });

  function authentication(kind, values) {
    if (kind === "token") return new lintel.TokenAuthentication(values);
    if (kind === "basic") return new lintel.BasicAuthentication(values);
    const { csrfCookie, csrfHeader } = document.body.dataset;
    return new lintel.SessionAuthentication({ csrfCookieName: csrfCookie, csrfHeaderName: csrfHeader });
  }

  for (const dialog of document.querySelectorAll("dialog[data-auth]")) {
    const form = dialog.querySelector("form");
    form.addEventListener("submit", (event) => {
      try {
        auth = authentication(dialog.dataset.auth, Object.fromEntries(new FormData(form)));
        authKind = dialog.dataset.auth;
      } catch (error) {
        event.preventDefault();
        refuse(form, error.message);
      }
    });
    dialog.addEventListener("close", () => {
      // No field keeps a secret that the client holds already.
      form.reset();
      if (choice) choice.value = authKind;
    });
  }

  function refuse(form, message) {
    const first = form.querySelector("input");
    first.setCustomValidity(message);
    first.reportValidity();
    first.addEventListener("input", () => first.setCustomValidity(""), { once: true });
  }

  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }

  // ---- the form of an operation ----

  const dialog = document.getElementById("interact");
  const form = dialog.querySelector("form");
  const outcome = dialog.querySelector(".outcome");
  const problem = dialog.querySelector(".problem");
  const send = dialog.querySelector("[type=submit]");
  const save = dialog.querySelector(".save");
  let operation = null;
  let calls = null;

  for (const button of document.querySelectorAll("[data-operation]")) {
    button.addEventListener("click", () => open(button.dataset.operation));
  }
  dialog.addEventListener("close", () => calls?.abort());

  function open(id) {
    operation = JSON.parse(document.getElementById(`facts-${id}`).textContent);
    text(dialog, "h2", operation.label);
    text(dialog, ".method", operation.method);
    dialog.querySelector(".method").className = `method ${operation.method.toLowerCase()}`;
    text(dialog, ".path", operation.path);
    const rows = operation.fields.map(labelled);
    if (!rows.length) rows.push("This operation takes no parameters.");
    dialog.querySelector(".fields").replaceChildren(...rows);
    problem.hidden = outcome.hidden = true;
    dialog.showModal();
  }

  function labelled(field, at) {
    const row = document.createElement("div");
    const label = document.createElement("label");
    const element = control(field);
    const wrong = mark("wrong", "");
    element.id = label.htmlFor = `field-${at}`;
    element.required = field.required;
    wrong.id = `wrong-${at}`;
    element.setAttribute("aria-describedby", wrong.id);
    label.append(field.name, field.required ? mark("required", " required") : "");
    row.className = "field";
    row.append(label, element, wrong, mark("note", field.description));
    return row;
  }

  function mark(kind, words) {
    const element = document.createElement("small");
    element.className = kind;
    element.textContent = words;
    return element;
  }

  function control(field) {
    if (field.is_file) return Object.assign(input("file"), { multiple: field.type === "array" });
    if (field.type === "enum") return select(field.choices);
    if (field.type === "boolean") return select([true, false]);
    if (["object", "array", "anything"].includes(field.type) || field.format === "textarea") {
      return document.createElement("textarea");
    }
    if (field.type === "integer") return input("number");
    return field.type === "number" ? Object.assign(input("number"), { step: "any" }) : input("text");
  }

  function input(type) {
    return Object.assign(document.createElement("input"), { type });
  }

  function select(choices) {
    const element = document.createElement("select");
    element.add(new Option("", ""));
    for (const each of choices) element.add(new Option(String(each), JSON.stringify(each)));
    return element;
  }

  // What a control says as a value of the schema's type; undefined for a control that was left empty.
  function valueOf(field, element) {
    if (field.is_file) {
      const files = [...element.files];
      return files.length ? (element.multiple ? files : files[0]) : undefined;
    }
    if (element.value === "") return undefined;
    if (field.type === "string") return element.value;
    if (field.type === "integer" && /^-?\d{16,}$/.test(element.value)) return BigInt(element.value);
    try {
      return JSON.parse(element.value);
    } catch {
      // What is not JSON is text; the service says whether that is right.
      return element.value;
    }
  }

  function parameters() {
    const values = operation.fields.map((field, at) => [field, document.getElementById(`field-${at}`)]);
    return Object.fromEntries(values.map(([field, element]) => [nameOf(field), valueOf(field, element)]));
  }

  // The client tells parameters of one name apart by where they go.
  function nameOf(field) {
    const isShared = operation.fields.filter(({ name }) => name === field.name).length > 1;
    return isShared && field.location ? `${field.location}.${field.name}` : field.name;
  }

  // ---- the exchange ----

  // Sends as the client does, and keeps what went over the wire for the reader.
  class Witness {
    #transport = new lintel.HTTPTransport();
    schemes = this.#transport.schemes;

    async send(request, options) {
      this.request = request;
      this.response = null;
      const start = performance.now();
      const response = await this.#transport.send(request, options);
      const copy = response.clone();
      this.content = await copy.blob();
      this.time = performance.now() - start;
      this.response = response;
      return response;
    }
  }

  // schema.js has left it; a page without one asks its own address.
  async function schema() {
    window.schema ??= await new lintel.Client({ auth }).get(location.href);
    return window.schema;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const witness = new Witness();
    calls = new AbortController();
    const { signal } = calls;
    send.disabled = true;
    complain("", {});
    try {
      const client = new lintel.Client({ auth, transports: [witness] });
      const result = await client.action(await schema(), operation.keys, parameters(), { signal });
      await result?.stream?.cancel();
    } catch (error) {
      if (!signal.aborted) complain(witness.response ? "" : error.message, error.messages ?? {});
    } finally {
      send.disabled = false;
    }
    outcome.hidden = !witness.request || signal.aborted;
    if (!outcome.hidden) await show(witness);
  });

  // What is wrong: beside the controls where it names them, else above all of them.
  function complain(message, byName) {
    let isNamed = false;
    operation.fields.forEach((field, at) => {
      const element = document.getElementById(`field-${at}`);
      const lines = byName[nameOf(field)] ?? byName[field.name] ?? [];
      isNamed ||= lines.length > 0;
      element.setAttribute("aria-invalid", lines.length > 0);
      text(element.parentElement, ".wrong", lines.join(" "));
    });
    problem.hidden = !message || isNamed;
    problem.textContent = message;
    form.querySelector("[aria-invalid=true]")?.focus();
  }

  async function show({ request, response, content, time }) {
    text(outcome, ".request", [`${request.method} ${request.url}`, ...lines(request.headers), "", await readable(request.body)].join("\n").trim());
    text(outcome, ".status", response ? `${response.status} ${response.statusText}`.trim() : "No answer came");
    text(outcome, ".time", response ? `${Math.round(time)} ms` : "");
    text(outcome, ".size", response ? `${content.size.toLocaleString()} bytes` : "");
    text(outcome, ".response-headers", response ? lines(response.headers).join("\n") : "");
    text(outcome, ".body", response ? await readable(content) : "");
    outcome.dataset.class = response ? String(response.status)[0] : "5";
    save.hidden = !response || !content.size;
    save.onclick = () => saved(content, request.url);
    outcome.scrollIntoView({ block: "nearest" });
  }

  // The secret that proves who is asking is not put on the screen.
  function lines(headers) {
    return [...headers].map(([name, value]) => `${name}: ${name === "authorization" ? value.replace(/ .*/, " …") : value}`);
  }

  async function readable(body) {
    const blob = body instanceof Blob ? body : new Blob(body === null ? [] : [body]);
    const part = await blob.slice(0, 500_000).text();
    const shown = blob.size > 500_000 ? `${part}\n… ${blob.size.toLocaleString()} bytes in all` : part;
    if (/[\0\ufffd]/.test(part)) return `${blob.size.toLocaleString()} bytes that are not text`;
    // Numbers that JavaScript cannot hold are shown as they came.
    if (/\d{16}/.test(part)) return shown;
    try {
      return JSON.stringify(JSON.parse(part), null, 2);
    } catch {
      return shown;
    }
  }

  function saved(content, url) {
    const name = new URL(url).pathname.split("/").filter(Boolean).pop() ?? "response";
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(content), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  }
})();

// The documentation page: choices of the reader, and requests sent from the page.
"use strict";

(() => {
  const body = document.body;
  let authentication = null;

  // ---- choices ----

  document.querySelector("[data-choose=language]").addEventListener("change", (event) => {
    body.dataset.language = event.target.value;
  });

  document.querySelector("[data-choose=auth]").addEventListener("change", (event) => {
    authentication = null;
    const dialog = document.querySelector(`dialog[data-auth="${event.target.value}"]`);
    if (dialog) dialog.showModal();
  });

  for (const dialog of document.querySelectorAll("dialog[data-auth]")) {
    dialog.querySelector("form").addEventListener("submit", () => {
      authentication = { kind: dialog.dataset.auth, ...dialog.dataset, ...values(dialog) };
    });
    dialog.addEventListener("close", () => {
      document.querySelector("[data-choose=auth]").value = authentication?.kind ?? "";
    });
  }

  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }

  function values(element) {
    return Object.fromEntries(new FormData(element.querySelector("form")));
  }

  // ---- requests ----

  const dialog = document.getElementById("interact");
  let operation = null;

  for (const button of document.querySelectorAll("[data-operation]")) {
    button.addEventListener("click", () => open(button.dataset.operation));
  }

  function open(id) {
    operation = JSON.parse(document.getElementById(`facts-${id}`).textContent);
    dialog.querySelector("h2").textContent = operation.label;
    dialog.querySelector(".method").textContent = operation.method;
    dialog.querySelector(".path").textContent = operation.path;
    dialog.querySelector(".fields").replaceChildren(...operation.fields.map(control));
    dialog.querySelector(".outcome").hidden = true;
    dialog.showModal();
  }

  function control(field) {
    const label = document.createElement("label");
    const input = element(field);
    input.name = field.name;
    input.dataset.location = field.location;
    input.required = field.required && input.type !== "checkbox";
    label.append(field.name, input);
    if (field.description) label.title = field.description;
    return label;
  }

  function element(field) {
    if (field.type === "enum") {
      const select = document.createElement("select");
      if (!field.required) select.add(new Option("", ""));
      for (const choice of field.choices) select.add(new Option(choice, JSON.stringify(choice)));
      return select;
    }
    if (["object", "array", "anything"].includes(field.type) || field.format === "textarea") {
      return document.createElement("textarea");
    }
    const input = document.createElement("input");
    input.type = { integer: "number", number: "number" }[field.type] ?? "text";
    if (field.type === "number") input.step = "any";
    if (field.type === "boolean") return booleanChoice();
    return input;
  }

  function booleanChoice() {
    const select = document.createElement("select");
    for (const text of ["", "true", "false"]) select.add(new Option(text, text));
    return select;
  }

  // Text of a control as the value that the schema asks for; undefined when it was left empty.
  function valueOf(field, text) {
    if (text === "" && !(field.required && field.type === "string")) return undefined;
    if (["string", "anything"].includes(field.type)) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const outcome = dialog.querySelector(".outcome");
    try {
      const response = await fetch(...request());
      show(`${response.status} ${response.statusText}`, await response.text());
    } catch (error) {
      show("The request failed", String(error));
    }
    outcome.hidden = false;
  });

  function show(status, text) {
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // Not JSON: shown as it came.
    }
    dialog.querySelector(".status").textContent = status;
    dialog.querySelector(".body").textContent = shown;
  }

  function request() {
    const given = values(dialog);
    let path = operation.url;
    const query = new URLSearchParams();
    let data = null;
    for (const field of operation.fields) {
      const value = valueOf(field, given[field.name] ?? "");
      if (value === undefined) continue;
      if (field.location === "path") {
        path = path.replace(`{${field.name}}`, encodeURIComponent(value));
      } else if (field.location === "query") {
        query.append(field.name, typeof value === "object" ? JSON.stringify(value) : value);
      } else if (field.location === "body") {
        data = value;
      } else {
        data = { ...data, [field.name]: value };
      }
    }
    const base = new URL(body.dataset.baseUrl ?? location.href, location.href);
    const url = new URL(path, base);
    for (const [name, value] of query) url.searchParams.append(name, value);
    // Credentials belong to the API of this document, whatever else it links to.
    const headers = { Accept: "application/json, */*;q=0.5" };
    if (url.origin === base.origin) Object.assign(headers, credentials());
    return [url, { method: operation.method, ...content(data, headers), credentials: "same-origin" }];
  }

  function content(data, headers) {
    if (data === null) return { headers };
    if (operation.encoding === "multipart/form-data") return { headers, body: form(data, FormData) };
    if (operation.encoding === "application/x-www-form-urlencoded") {
      return { headers, body: form(data, URLSearchParams) };
    }
    headers["Content-Type"] = operation.encoding || "application/json";
    return { headers, body: JSON.stringify(data) };
  }

  function form(data, Kind) {
    const encoded = new Kind();
    for (const [name, value] of Object.entries(data)) {
      for (const item of Array.isArray(value) ? value : [value]) encoded.append(name, item);
    }
    return encoded;
  }

  function credentials() {
    switch (authentication?.kind) {
      case "token":
        return { Authorization: `${authentication.scheme} ${authentication.token}` };
      case "basic": {
        const pair = new TextEncoder().encode(`${authentication.username}:${authentication.password}`);
        return { Authorization: `Basic ${btoa(String.fromCharCode(...pair))}` };
      }
      case "session": {
        const found = document.cookie.match(new RegExp(`(?:^|; )${authentication.csrfCookie}=([^;]*)`));
        return found ? { [authentication.csrfHeader]: decodeURIComponent(found[1]) } : {};
      }
      default:
        return {};
    }
  }
})();

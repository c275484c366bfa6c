// Sends the forms of the browsable interface: other methods than GET and POST, and raw bodies, which
// a plain HTML form cannot send, and all others so that an error does not lose what was typed.
(() => {
  "use strict";
  // A page that includes this file twice sends each form once. The mark is part of the document.
  if (document.documentElement.dataset.sendsForms) return;
  document.documentElement.dataset.sendsForms = "true";
  const NOTICE = "lintel-notice";

  // Without this file they would do nothing, so they are hidden until it is loaded.
  const reveal = () => {
    document.querySelectorAll("form[data-method][hidden]").forEach((form) => { form.hidden = false; });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", reveal);
  reveal();

  const announce = (message) => document.dispatchEvent(new CustomEvent("lintel:changed", { detail: message }));

  const message = (kind, role, text) => {
    const made = document.createElement("p");
    made.className = `message ${kind}`;
    made.setAttribute("role", role);
    made.tabIndex = -1;
    made.textContent = text;
    return made;
  };

  // A notice from the previous page; without storage, there is none.
  const say = () => {
    let text = null;
    try {
      text = sessionStorage.getItem(NOTICE);
      sessionStorage.removeItem(NOTICE);
    } catch { /* see above */ }
    const place = document.querySelector("main .head") || document.querySelector("main");
    if (text && place) place.after(message("good", "status", text));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", say);
  else say();
  const sayNext = (text) => { try { sessionStorage.setItem(NOTICE, text); } catch { /* see above */ } };

  // Replace only the response on the page by the new one.
  const showAnswer = (page) => {
    const answer = page?.querySelector(".response");
    const here = document.querySelector(".response");
    if (answer && here) here.replaceWith(document.adoptNode(answer));
  };

  const detailOf = (page, text) => {
    const content = page ? page.querySelector("pre.content")?.textContent ?? "" : text;
    try {
      const { detail } = JSON.parse(content);
      if (typeof detail === "string") return detail;
    } catch { /* not JSON, or an answer of another shape */ }
    return content.slice(0, 500);
  };

  // Turn "… line 2 column 7 (char 20)" of a JSON parser into an offset in the typed text.
  const placeOf = (detail, typed) => {
    const found = /line (\d+) column (\d+)/.exec(detail);
    if (!found) return -1;
    const lines = typed.split("\n");
    const before = lines.slice(0, found[1] - 1).reduce((length, line) => length + line.length + 1, 0);
    return Math.min(before + Number(found[2]) - 1, typed.length);
  };

  const forget = (form) => {
    form.querySelector("[data-failure]")?.remove();
    const input = form.querySelector('[data-override="content"]');
    input?.removeAttribute("aria-invalid");
    input?.removeAttribute("aria-describedby");
  };

  // Keep the form, and show the error above its fields, or at the position of the mistake.
  const complain = (form, status, detail) => {
    const complaint = message("danger", "alert", detail ? `${status}: ${detail}` : status);
    complaint.dataset.failure = "";
    complaint.id = `failure-${Math.random().toString(36).slice(2)}`;
    form.prepend(complaint);
    const input = form.querySelector('[data-override="content"]');
    const place = input ? placeOf(detail, input.value) : -1;
    if (place < 0) return complaint.focus();
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", complaint.id);
    input.focus();
    input.setSelectionRange(place, Math.min(place + 1, input.value.length));
    return undefined;
  };

  // Replace the form by the returned one with its errors. Files and passwords, which no
  // server sends back, stay in their inputs.
  const refill = (form, refused) => {
    for (const input of form.querySelectorAll("input[type=file], input[type=password]")) {
      const twin = [...refused.querySelectorAll("input")].find(({ name, type }) => name === input.name && type === input.type);
      if (!twin || !(input.value || input.files?.length)) continue;
      for (const name of ["aria-invalid", "aria-describedby"]) {
        if (twin.hasAttribute(name)) input.setAttribute(name, twin.getAttribute(name));
        else input.removeAttribute(name);
      }
      twin.replaceWith(input);
    }
    form.replaceChildren(...document.adoptNode(refused).childNodes);
    form.querySelector(".error-summary").focus();
  };

  const write = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.querySelector("[data-leads-to]")?.dataset.leadsTo;
    try {
      // Reloading after a deletion shows the list, not an error.
      if (next) history.replaceState(null, "", next);
    } catch { /* an address of another site */ }
    document.open();
    document.write(text);
    document.close();
  };

  const showRefusal = (response, text, isPage, form) => {
    const page = isPage ? new DOMParser().parseFromString(text, "text/html") : null;
    const isRaw = form.querySelector('[data-override="content"]');
    const refused = page?.querySelector("form[data-method] .error-summary")?.closest("form");
    const detail = detailOf(page, text);
    showAnswer(page);
    if (refused && !isRaw) refill(form, refused);
    else complain(form, `HTTP ${response.status} ${response.statusText}`, detail);
    announce(form);
  };

  const show = async (response, form) => {
    const type = response.headers.get("Content-Type") || "";
    const text = await response.text();
    const isPage = type.startsWith("text/html");
    if (response.redirected) {
      if (response.ok && form.dataset.done) sayNext(form.dataset.done);
      window.location.assign(response.url);
    } else if (!response.ok) {
      showRefusal(response, text, isPage, form);
    } else if (isPage) {
      write(text);
    } else {
      const page = document.createElement("pre");
      page.textContent = `HTTP ${response.status} ${response.statusText}\n\n${text}`;
      document.body.replaceChildren(page);
    }
  };

  const bodyOf = (form, headers) => {
    const content = form.querySelector('[data-override="content"]');
    if (content) {
      headers["Content-Type"] = form.querySelector('[data-override="content-type"]').value;
      return content.value;
    }
    const data = new FormData(form);
    return [...data].length ? data : undefined;
  };

  const send = async (form, method) => {
    const headers = { Accept: "text/html; q=1.0, */*" };
    // By attribute: form.action would be the input of a field that is called "action".
    const address = new URL(form.getAttribute("action") || "", window.location.href);
    const { csrfHeaderName, csrfToken } = window.drf || {};
    const isOurs = address.origin === window.location.origin;
    if (csrfHeaderName && csrfToken && isOurs) headers[csrfHeaderName] = csrfToken;
    const body = bodyOf(form, headers);
    const response = await fetch(address, { method, headers, body, credentials: "same-origin" });
    await show(response, form);
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const method = event.submitter?.dataset.method || form.getAttribute("data-method");
    if (!method) return;
    event.preventDefault();
    const question = form.getAttribute("data-confirm");
    if (question && !window.confirm(question)) return;
    forget(form);
    const buttons = [...form.querySelectorAll("button[type=submit]")];
    buttons.forEach((button) => { button.disabled = true; });
    send(form, method)
      .catch((error) => complain(form, error.message, ""))
      .finally(() => [...buttons, ...form.querySelectorAll("button[type=submit]")].forEach((button) => { button.disabled = false; }));
  });
})();

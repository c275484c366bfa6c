// Sends the forms of the browsable interface that a plain HTML form cannot send: other methods
// than GET and POST, and raw bodies. Forms without data-method work without this file.
(() => {
  "use strict";
  // A page that names this file twice sends each form once. The mark goes with the document.
  if (document.documentElement.dataset.sendsForms) return;
  document.documentElement.dataset.sendsForms = "true";

  // Without this file they would do nothing, so they are hidden until it has come.
  const reveal = () => {
    document.querySelectorAll("form[data-method][hidden]").forEach((form) => { form.hidden = false; });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", reveal);
  reveal();

  // A raw body that was refused stays where it was typed; the answer appears above it.
  const showAnswer = (text) => {
    const answer = new DOMParser().parseFromString(text, "text/html").querySelector(".response");
    const here = document.querySelector(".response");
    if (!answer || !here) return false;
    here.replaceWith(document.adoptNode(answer));
    answer.scrollIntoView();
    return true;
  };

  const show = async (response, form) => {
    const type = response.headers.get("Content-Type") || "";
    const text = await response.text();
    const isRaw = form.querySelector('[data-override="content"]');
    if (!response.ok && isRaw && type.startsWith("text/html") && showAnswer(text)) return;
    if (response.redirected) {
      window.location.assign(response.url);
    } else if (type.startsWith("text/html")) {
      document.open();
      document.write(text);
      document.close();
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
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    send(form, method)
      .catch((error) => window.alert(`The request failed: ${error.message}`))
      .finally(() => buttons.forEach((button) => { button.disabled = false; }));
  });
})();

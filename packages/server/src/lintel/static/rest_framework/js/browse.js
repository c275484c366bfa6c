// Sends the forms of the browsable interface that a plain HTML form cannot send: other methods
// than GET and POST, and raw bodies. Forms without data-method work without this file.
(() => {
  "use strict";

  const settings = document.body.dataset;

  const show = async (response) => {
    const type = response.headers.get("Content-Type") || "";
    const text = await response.text();
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
    if (settings.csrfToken && settings.csrfToken !== "NOTPROVIDED") {
      headers[settings.csrfHeader] = settings.csrfToken;
    }
    const body = bodyOf(form, headers);
    const response = await fetch(form.action || window.location.href, {
      method, headers, body, credentials: "same-origin",
    });
    await show(response);
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const method = event.submitter?.dataset.method || form.dataset.method;
    if (!method) return;
    event.preventDefault();
    if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) return;
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    send(form, method).catch((error) => {
      buttons.forEach((button) => { button.disabled = false; });
      window.alert(`The request failed: ${error.message}`);
    });
  });

  // One menu at a time, and none after a click elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
})();

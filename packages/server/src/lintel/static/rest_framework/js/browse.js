// Sends the forms of the browsable interface that a plain HTML form cannot send: other methods
// than GET and POST, and raw bodies. Forms without data-method work without this file. Colours JSON.
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

  // Colours of JSON are painted over the text: the page stays plain, and so does what is copied.
  const KINDS = ["key", "string", "number", "word"];
  const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
  const LARGEST = 500000;

  const kindOf = ([, string, colon, number]) => {
    if (string) return colon ? "key" : "string";
    return number ? "number" : "word";
  };

  // A function from offsets of the text, in growing order, to places in its nodes.
  const placesIn = (content) => {
    const nodes = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    let node = nodes.nextNode();
    let start = 0;
    return (offset) => {
      while (offset > start + node.length) {
        start += node.length;
        node = nodes.nextNode();
      }
      return [node, offset - start];
    };
  };

  const paint = (content) => {
    const text = content.textContent;
    if (text.length > LARGEST || !/^\s*[[{]/.test(text)) return;
    const place = placesIn(content);
    for (const token of text.matchAll(TOKEN)) {
      const range = document.createRange();
      range.setStart(...place(token.index));
      range.setEnd(...place(token.index + (token[1] || token[0]).length));
      CSS.highlights.get(`json-${kindOf(token)}`).add(range);
    }
  };

  if (window.CSS?.highlights) {
    KINDS.forEach((kind) => { CSS.highlights.set(`json-${kind}`, new Highlight()); });
    document.querySelectorAll("pre.content").forEach(paint);
  }
})();

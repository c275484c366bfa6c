// Menus of the browsable interface, copy buttons, rows of tables, and coloured, collapsible JSON.
(() => {
  "use strict";

  // Only one menu is open; a click elsewhere or Escape closes it.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      const hadFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hadFocus) menu.querySelector("summary").focus();
    }
  });

  // Pages over plain HTTP have no clipboard API: there the text is copied from an input.
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const input = document.createElement("textarea");
    input.value = text;
    document.body.append(input);
    input.select();
    document.execCommand("copy");
    input.remove();
    return undefined;
  };

  // A click anywhere in a row of a table opens it, as its link does; selecting text does not.
  document.addEventListener("click", (event) => {
    const row = event.target.closest?.(".table > table > tbody > tr");
    const link = row?.querySelector("a.opener");
    const selection = getSelection();
    if (!link || event.target.closest("a, button, input, summary, pre")) return;
    if (!selection.isCollapsed && selection.containsNode(row, true)) return;
    if (event.ctrlKey || event.metaKey) window.open(link.href, "_blank", "noopener");
    else link.click();
  });

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  // The request of a raw form, as a shell command.
  const curl = (form, method) => {
    const address = new URL(form.getAttribute("action") || "", window.location.href).href;
    const type = form.querySelector('[data-override="content-type"]').value;
    const body = form.querySelector('[data-override="content"]').value;
    return `curl --request ${method} --header ${quoted(`Content-Type: ${type}`)} --data-binary ${quoted(body)} ${quoted(address)}`;
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copies], [data-curl]");
    if (!button) return;
    const { copies, curl: method } = button.dataset;
    const source = copies && button.closest(".response")?.querySelector(copies);
    await copy(source ? source.textContent : curl(button.form, method));
    const label = button.textContent;
    button.textContent = "\u2713";
    setTimeout(() => { button.textContent = label; }, 1200);
  });

  // JSON is coloured with highlights over the text, so that the page and copied text stay plain.
  const KINDS = ["key", "string", "number", "word"];
  const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
  const LARGEST = 500000;

  const kindOf = ([, string, colon, number]) => {
    if (string) return colon ? "key" : "string";
    return number ? "number" : "word";
  };

  // Returns a function from increasing text offsets to positions in its nodes.
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

  // The contents between the brackets of each multi-line value, in text order:
  // [line, opened, closed] as offsets; the document itself cannot be collapsed.
  const MOST_FOLDS = 1000;
  const foldsIn = (text) => {
    const open = [];
    const folds = [];
    let offset = 0;
    for (const line of text.split("\n")) {
      const indent = line.length - line.trimStart().length;
      if (/^\s*[\]}],?$/.test(line)) {
        const fold = open.pop();
        if (fold && open.length) fold.closed = offset + indent;
      }
      if (/[[{]$/.test(line)) {
        const fold = { line: offset + indent, opened: offset + line.length, label: line.trim() };
        open.push(fold);
        folds.push(fold);
      }
      offset += line.length + 1;
    }
    return folds.filter((fold) => fold.closed);
  };

  const foldSwitch = (fold, inside) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "fold-switch";
    button.tabIndex = -1;
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-label", fold.label);
    button.addEventListener("click", () => {
      inside.hidden = !inside.hidden;
      button.setAttribute("aria-expanded", String(!inside.hidden));
    });
    return button;
  };

  // A copy of the text and links, split where a fold begins and ends.
  const fold = (content) => {
    const text = content.textContent;
    if (text.length > LARGEST || !/^\s*[[{]/.test(text)) return;
    const folds = foldsIn(text);
    if (!folds.length || folds.length > MOST_FOLDS) return;
    const places = [];
    for (const each of folds) {
      each.inside = document.createElement("span");
      const button = foldSwitch(each, each.inside);
      places.push([each.line, (parent) => { parent.append(button); return parent; }]);
      places.push([each.opened, (parent) => { parent.append(each.inside); return each.inside; }]);
      places.push([each.closed, () => each.inside.parentNode]);
    }
    places.sort(([one], [other]) => one - other);
    const nodes = [...content.childNodes];
    content.replaceChildren();
    let parent = content;
    let start = 0;
    let next = 0;
    for (const node of nodes) {
      let rest = node;
      while (next < places.length && places[next][0] <= start + rest.textContent.length) {
        const [offset, enter] = places[next];
        if (rest.nodeType === Node.TEXT_NODE && offset > start) {
          const tail = rest.splitText(offset - start);
          parent.append(rest);
          start = offset;
          rest = tail;
        } else if (offset > start) {
          break;
        }
        parent = enter(parent);
        next += 1;
      }
      parent.append(rest);
      start += rest.textContent.length;
    }
    content.querySelector(".fold-switch").tabIndex = 0;
  };

  // One tab stop; arrow keys move within.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches?.(".fold-switch")) return;
    const shown = [...event.target.closest(".content").querySelectorAll(".fold-switch")].filter((each) => each.offsetParent);
    const next = shown[shown.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  const dress = () => {
    document.querySelectorAll("[data-copies][hidden], [data-curl][hidden]").forEach((button) => { button.hidden = false; });
    document.querySelectorAll("pre.content").forEach((content) => { if (!content.querySelector(".fold-switch")) fold(content); });
    if (!window.CSS?.highlights) return;
    KINDS.forEach((kind) => { CSS.highlights.set(`json-${kind}`, new Highlight()); });
    document.querySelectorAll("pre.content").forEach(paint);
  };
  const start = () => {
    dress();
    document.querySelector(".error-summary")?.focus();
  };

  document.addEventListener("lintel:changed", dress);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();

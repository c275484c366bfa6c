// A search among the rows that a relation may refer to, if the table is too large for a select: an
// input for the value of one row, or a select of several, gets a box that lists the rows found.
// Each page of results is an OPTIONS request to the form's URL; the header Lintel-Choices holds the query.
(() => {
  "use strict";
  if (document.documentElement.dataset.searchesChoices) return;
  document.documentElement.dataset.searchesChoices = "true";
  const PAUSE = 250;

  const ask = async (form, field, search, page) => {
    const method = form.dataset.method || "POST";
    const asked = new URLSearchParams({ method, field, search, page });
    const address = new URL(form.getAttribute("action") || "", window.location.href);
    const headers = { Accept: "text/html", "Lintel-Choices": String(asked) };
    const response = await fetch(address, { method: "OPTIONS", headers, credentials: "same-origin" });
    if (!response.ok) throw new Error(`HTTP ${response.status} ${response.statusText}`);
    const list = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".found-choices");
    if (!list) throw new Error("HTTP 200");
    const rows = [...list.querySelectorAll("li")].map((item) => ({ value: item.dataset.value, text: item.textContent }));
    return { rows, following: list.dataset.following };
  };

  // A box that calls choose(row) when a row of its list is selected.
  const searchBox = (form, source, choose) => {
    const box = document.createElement("input");
    const list = document.createElement("ul");
    list.id = `${source.id || source.name}-choices`;
    list.className = "choices-list";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", source.dataset.search);
    Object.assign(box, { type: "text", className: "control", autocomplete: "off", placeholder: source.dataset.search });
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id };
    Object.entries(attributes).forEach(([name, value]) => box.setAttribute(name, value));

    let asked = 0;
    let timer = 0;
    let active = null;

    const close = () => {
      clearTimeout(timer);
      asked += 1;
      list.hidden = true;
      active = null;
      box.setAttribute("aria-expanded", "false");
      box.removeAttribute("aria-activedescendant");
    };

    const mark = (item) => {
      active?.setAttribute("aria-selected", "false");
      active = item;
      if (!item) return;
      item.setAttribute("aria-selected", "true");
      box.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    };

    const add = (text, take) => {
      const item = document.createElement("li");
      item.id = `${list.id}-${list.children.length}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.textContent = text;
      // Runs before the box loses the focus, which closes the list.
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(item); });
      item.take = take;
      list.append(item);
      return item;
    };

    const note = (text) => {
      list.replaceChildren();
      const item = add(text, () => {});
      item.setAttribute("aria-disabled", "true");
    };

    const show = async (search, page) => {
      const mine = (asked += 1);
      try {
        const { rows, following } = await ask(form, source.dataset.choices, search, page);
        if (mine !== asked) return;
        if (Number(page) === 0) list.replaceChildren();
        const added = rows.map((row) => add(row.text, () => { choose(row, box); close(); }));
        if (following) add(source.dataset.more, (item) => { item.remove(); void show(search, following); });
        if (!list.children.length) note(source.dataset.none);
        else mark(Number(page) === 0 ? null : added[0]);
      } catch (error) {
        if (mine !== asked) return;
        note(error.message);
      }
      list.hidden = false;
      box.setAttribute("aria-expanded", "true");
    };

    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void show(box.value.trim(), 0), PAUSE);
    };

    const KEYS = {
      ArrowDown: () => { if (list.hidden) void show("", 0); else mark(active?.nextElementSibling ?? list.firstElementChild); },
      ArrowUp: () => mark(active?.previousElementSibling ?? list.lastElementChild),
      Enter: () => active?.take(active),
      Escape: close,
    };
    box.addEventListener("input", later);
    box.addEventListener("blur", close);
    box.addEventListener("keydown", (event) => {
      const act = KEYS[event.key];
      if (!act || (list.hidden && event.key !== "ArrowDown")) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    });
    const frame = document.createElement("span");
    frame.className = "choices-search";
    frame.append(box, list);
    return { frame, box };
  };

  // One row: the hidden input with the field's name holds the value; the box shows its text.
  const dressOne = (input) => {
    const form = input.form;
    let text = input.dataset.text || input.value;
    const { frame, box } = searchBox(form, input, (row) => {
      input.value = row.value;
      box.value = text = row.text;
    });
    box.value = text;
    for (const name of ["id", "aria-invalid", "aria-describedby", "aria-required"]) {
      if (!input.hasAttribute(name)) continue;
      box.setAttribute(name, input.getAttribute(name));
      input.removeAttribute(name);
    }
    // Text that matches no row keeps the current choice; an empty text clears it.
    box.addEventListener("blur", () => {
      if (box.value.trim() === "") input.value = text = "";
      box.value = text;
    });
    input.parentElement.querySelector(".chosen")?.remove();
    input.type = "hidden";
    input.after(frame);
  };

  // Several rows: selected results are added to the select, and chosen.
  const dressSeveral = (select) => {
    const { frame, box } = searchBox(select.form, select, (row) => {
      const listed = [...select.options].find(({ value }) => value === row.value);
      if (listed) listed.selected = true;
      else select.prepend(new Option(row.text, row.value, true, true));
      box.value = "";
    });
    const label = select.closest(".field")?.querySelector(".field-label")?.textContent.trim();
    box.setAttribute("aria-label", [select.dataset.search, label].filter(Boolean).join(": "));
    select.before(frame);
  };

  const dress = () => {
    for (const source of document.querySelectorAll("[data-choices]:not([data-dressed])")) {
      if (!source.form) continue;
      source.dataset.dressed = "true";
      if (source.tagName === "SELECT") dressSeveral(source);
      else dressOne(source);
    }
  };
  document.addEventListener("lintel:changed", dress);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", dress);
  else dress();
})();

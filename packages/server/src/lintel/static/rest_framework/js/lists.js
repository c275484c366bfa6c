// Lists and dictionaries in forms: add items from a template, and remove items.
(() => {
  "use strict";
  if (document.documentElement.dataset.editsLists) return;
  document.documentElement.dataset.editsLists = "true";

  const ATTRIBUTES = ["name", "id", "for", "aria-describedby", "data-key", "data-choices"];

  // Templates inside the item have other placeholders, and names that begin with this one.
  const fill = (content, placeholder, key) => {
    for (const element of content.querySelectorAll("*")) {
      for (const name of ATTRIBUTES) {
        const value = element.getAttribute(name);
        if (value?.includes(placeholder)) element.setAttribute(name, value.replaceAll(placeholder, key));
      }
      if (element.tagName === "TEMPLATE") fill(element.content, placeholder, key);
    }
  };

  const announce = () => document.dispatchEvent(new CustomEvent("lintel:changed"));

  const add = (button) => {
    const group = button.closest("fieldset");
    const items = group.querySelector(":scope > .items");
    const content = group.querySelector(":scope > template").content.cloneNode(true);
    const index = Number(items.dataset.items);
    items.dataset.items = index + 1;
    // A value has no name, and is therefore not sent, until its key is known.
    const isKeyed = Boolean(content.querySelector(":scope > .item > [data-key]"));
    fill(content, items.dataset.placeholder, isKeyed ? `new-${index}` : String(index));
    if (isKeyed) content.querySelectorAll("[name]").forEach((input) => input.removeAttribute("name"));
    const item = content.firstElementChild;
    items.append(content);
    dress();
    announce();
    item.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  };

  const remove = (button) => {
    const group = button.closest(".items").parentElement;
    button.closest(".item").remove();
    group.querySelector(":scope > [data-adds]")?.focus();
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-adds], [data-removes]");
    if (!button) return;
    if ("adds" in button.dataset) add(button);
    else remove(button);
  });

  document.addEventListener("input", (event) => {
    const key = event.target;
    if (key.dataset?.key === undefined) return;
    const value = [...key.closest(".item").querySelectorAll("input, select, textarea")].find((input) => input !== key);
    if (key.value) value.name = `${key.dataset.key}.${key.value}`;
    else value.removeAttribute("name");
  });

  const dress = () => {
    document.querySelectorAll("[data-adds][hidden], [data-removes][hidden]").forEach((button) => { button.hidden = false; });
    document.querySelectorAll("[data-key][disabled]").forEach((key) => { key.disabled = false; });
  };
  document.addEventListener("lintel:changed", dress);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", dress);
  else dress();
})();

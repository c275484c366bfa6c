// Menus of the browsable interface, and the colours of JSON.
(() => {
  "use strict";

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

  const paintAll = () => {
    KINDS.forEach((kind) => { CSS.highlights.set(`json-${kind}`, new Highlight()); });
    document.querySelectorAll("pre.content").forEach(paint);
  };

  if (window.CSS?.highlights) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", paintAll);
    else paintAll();
  }
})();

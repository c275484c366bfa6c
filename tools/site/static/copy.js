/* A button on each block of code that copies it: of a session in a shell, the commands alone. */
(() => {
  /** Prompts by the language of a block; what follows none of them is output. */
  const PROMPTS = { console: /^\$ /, pycon: /^(>>>|\.\.\.) ?/ };

  /** Return what a reader would type. */
  function typed(block) {
    const text = block.querySelector("pre").textContent.replace(/\n$/, "");
    const language = Object.keys(PROMPTS).find((name) => block.closest(`.highlight-${name}`));
    const prompt = PROMPTS[language];
    if (!prompt || !text.split("\n").some((line) => prompt.test(line))) return text;
    const lines = [];
    let goesOn = false;
    for (const line of text.split("\n")) {
      const isTyped = goesOn || prompt.test(line);
      if (isTyped) lines.push(line.replace(prompt, ""));
      goesOn = isTyped && line.endsWith("\\");
    }
    return lines.join("\n");
  }

  /** Without a secure context, the text is selected, to be copied by keyboard. */
  async function copy(block, button) {
    try {
      await navigator.clipboard.writeText(typed(block));
    } catch {
      getSelection().selectAllChildren(block.querySelector("pre"));
      return;
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }

  for (const block of document.querySelectorAll("article div.highlight")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", () => void copy(block, button));
    block.append(button);
  }

  /** Blocks wider than the page scroll, so the keyboard must reach them. */
  function reach() {
    for (const element of document.querySelectorAll("article pre, article .table-wrapper")) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  }
  reach();
  addEventListener("resize", reach);
})();

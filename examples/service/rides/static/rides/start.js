/* A button on each block of commands that copies it. */
(() => {
  async function copy(block, button) {
    try {
      await navigator.clipboard.writeText(block.textContent);
    } catch {
      getSelection().selectAllChildren(block);
      return;
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }

  for (const block of document.querySelectorAll(".steps pre.code")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy small", textContent: "Copy" });
    button.addEventListener("click", () => void copy(block, button));
    block.before(button);
  }
})();

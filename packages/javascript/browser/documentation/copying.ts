import { text } from "./page.js";

/** Copy what stands beside the button, and say so on it for a moment. */
async function copy(button: HTMLElement): Promise<void> {
  const source = button.closest(".sample, .outcome")?.querySelector("pre");
  try {
    await navigator.clipboard.writeText(source?.textContent ?? "");
  } catch {
    // Without a secure context the text is selected, and one key copies it.
    if (source) getSelection()?.selectAllChildren(source);
    return;
  }
  const before = button.textContent;
  button.textContent = text("copied");
  setTimeout(() => (button.textContent = before), 1500);
}

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("[data-copy]");
  if (button) void copy(button);
});

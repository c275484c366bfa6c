import { text } from "./page.js";

/** Copy the text beside the button, and confirm it on the button for a moment. */
async function copy(button: HTMLElement): Promise<void> {
  const source = button.closest(".sample, .outcome")?.querySelector("pre");
  try {
    await navigator.clipboard.writeText(source?.textContent ?? "");
  } catch {
    // Without a secure context, select the text for copying by keyboard.
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

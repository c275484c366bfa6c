// The reader's choice between light and dark, before the page is painted: load it in the head.
// Without a choice the style sheets follow the system. A button with data-theme-switch changes it.
(() => {
  "use strict";
  const NAME = "lintel-theme";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // Without storage, the choice lasts as long as the page.
  const kept = () => { try { return localStorage.getItem(NAME); } catch { return null; } };
  const keep = (theme) => {
    try {
      if (theme) localStorage.setItem(NAME, theme);
      else localStorage.removeItem(NAME);
    } catch { /* see above */ }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const other = () => (current() === "dark" ? "light" : "dark");

  apply(kept());
  window.addEventListener("storage", (event) => { if (event.key === NAME) apply(event.newValue); });

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    const theme = other() === (system.matches ? "dark" : "light") ? null : other();
    apply(theme);
    keep(theme);
  });
  const reveal = () => document.querySelectorAll("[data-theme-switch]").forEach((button) => { button.hidden = false; });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", reveal);
  else reveal();
})();

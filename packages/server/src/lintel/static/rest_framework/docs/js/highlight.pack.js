// Kept for templates that name it. The documentation page colours its examples without a library.

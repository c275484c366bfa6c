// Kept for templates that name it. docs/js/docs.js runs the documentation page.

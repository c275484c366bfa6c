// Kept for templates that include it. docs/js/docs.js runs the documentation page.

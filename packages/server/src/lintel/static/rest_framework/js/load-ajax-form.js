// Kept for templates that include it. ajax-form.js finds the forms of a page itself.

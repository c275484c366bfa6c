// Kept for templates that name it. ajax-form.js takes up the forms of a page by itself.

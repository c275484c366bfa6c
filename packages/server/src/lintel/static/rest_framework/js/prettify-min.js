// Kept for templates that name it. default.js colours JSON; there is no prettyPrint().

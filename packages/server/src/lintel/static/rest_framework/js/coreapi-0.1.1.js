// Kept for templates that name it. Use the npm package lintel-client; a page that needs window.coreapi loads it first.

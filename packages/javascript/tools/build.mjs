// Builds `dist`, and puts the scripts for pages into the server's static files, where they are committed.
import { copyFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import "./dist.mjs";
import { DOCUMENTATION, script } from "./script.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const STATIC = `${PACKAGE}../server/src/lintel/static/rest_framework/`;

copyFileSync(`${PACKAGE}dist/lintel-client.min.js`, `${STATIC}js/lintel-client.min.js`);
writeFileSync(`${STATIC}docs/js/docs.js`, await script(DOCUMENTATION));

// Builds `dist`, and puts the script for pages into the server's static files, where it is committed.
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import "./dist.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const STATIC = `${PACKAGE}../server/src/lintel/static/rest_framework/js/lintel-client.min.js`;

copyFileSync(`${PACKAGE}dist/lintel-client.min.js`, STATIC);

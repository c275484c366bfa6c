// Builds `dist` for npm, and the script for pages, which is committed in the server's static files.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { script } from "./script.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const STATIC = `${PACKAGE}../server/src/lintel/static/rest_framework/js/lintel-client.min.js`;

rmSync(`${PACKAGE}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${PACKAGE}node_modules/typescript/bin/tsc`, "-p", PACKAGE], { stdio: "inherit" });
const text = await script("browser");
writeFileSync(`${PACKAGE}dist/lintel-client.min.js`, text);
writeFileSync(STATIC, text);

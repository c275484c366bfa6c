// Builds `dist`: modules, types, and the script for pages.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { script } from "./script.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${PACKAGE}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${PACKAGE}node_modules/typescript/bin/tsc`, "-p", PACKAGE], { stdio: "inherit" });
writeFileSync(`${PACKAGE}dist/lintel-client.min.js`, await script("src/browser"));
writeFileSync(`${PACKAGE}dist/lintel-client-native.min.js`, await script("src/browser-native"));

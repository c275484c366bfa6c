// Builds `dist` where the package is installed from its folder: npm then leaves out what the build needs.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

if (!existsSync(`${PACKAGE}node_modules/typescript`)) {
  execSync("npm ci --ignore-scripts --no-audit --no-fund", { cwd: PACKAGE, stdio: "inherit" });
}
await import("./dist.mjs");

import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** Return the minified script of an entry of `src`, for browsers of the last three years. */
export async function script(entry) {
  const result = await build({
    absWorkingDir: PACKAGE,
    entryPoints: [`src/${entry}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome119", "firefox119", "safari17"],
    banner: { js: "/* lintel-client, BSD-3-Clause */" },
  });
  return result.outputFiles[0].text;
}

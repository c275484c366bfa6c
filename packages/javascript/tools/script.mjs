import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** The script of the documentation page, which runs beside that of the client. */
export const DOCUMENTATION = "browser/documentation/main";

/** Return the minified script of an entry, for browsers of the last three years. */
export async function script(entry) {
  const result = await build({
    absWorkingDir: PACKAGE,
    entryPoints: [`${entry}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome119", "firefox119", "safari17"],
    // What package.json says of side effects is about the library; parts of a page are nothing else.
    ignoreAnnotations: entry === DOCUMENTATION,
    banner: { js: "/* lintel-client, BSD-3-Clause */" },
  });
  return result.outputFiles[0].text;
}

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { expect, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${PACKAGE}build/pack/`;

test("publint finds nothing", async () => {
  expect((await publint({ pkgDir: PACKAGE, pack: false, strict: true })).messages).toEqual([]);
});

test("what is packed has types that every resolution finds, and holds what it should", () => {
  mkdirSync(FOLDER, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", FOLDER], { cwd: PACKAGE, encoding: "utf8" });
  const [{ filename, files }] = JSON.parse(packed);
  const names: string[] = files.map(({ path }: { path: string }) => path);
  expect(names).toEqual(expect.arrayContaining(["LICENSE", "README.md", "bin/lintel-client.js", "dist/index.js", "dist/lintel-client.min.js"]));
  expect(names.filter((name) => !/^(dist\/|bin\/|LICENSE$|README\.md$|package\.json$)/.test(name))).toEqual([]);
  execFileSync(process.execPath, [`${PACKAGE}node_modules/@arethetypeswrong/cli/dist/index.js`, `${FOLDER}${filename}`, "--profile", "esm-only"], { encoding: "utf8" });
  rmSync(FOLDER, { recursive: true });
});

test("there are no dependencies, and no registry URL in the lock file", () => {
  const manifest = JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8"));
  expect(manifest.dependencies).toBe(undefined);
  expect(manifest.publishConfig.provenance).toBe(true);
  expect(readFileSync(`${PACKAGE}package-lock.json`, "utf8")).not.toContain('"resolved"');
});

test("the repository installs as the package", () => {
  const [own, root] = [`${PACKAGE}package.json`, `${PACKAGE}../../package.json`].map((path) => JSON.parse(readFileSync(path, "utf8")));
  const below = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('"./dist/', '"./packages/javascript/dist/'));
  for (const name of ["name", "version", "license", "engines", "peerDependencies", "peerDependenciesMeta"]) expect(root[name]).toEqual(own[name]);
  for (const name of ["main", "types", "exports", "sideEffects"]) expect(root[name]).toEqual(below(own[name]));
  expect(root.bin).toEqual({ "lintel-client": `packages/javascript/${own.bin["lintel-client"]}` });
  // The type of the modules is that of the folder: other scripts of the repository are no modules.
  expect(root.files).toContain("packages/javascript/package.json");
  expect(root.private).toBe(true);
});

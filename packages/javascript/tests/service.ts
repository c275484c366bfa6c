import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

declare module "vitest" {
  export interface ProvidedContext {
    service: string;
  }
}

/** Compile the package, and start the site of the tests once for all files, on a loopback port. */
export default async function setup(project: TestProject): Promise<() => void> {
  execFileSync(process.execPath, ["tools/dist.mjs"], { cwd: PACKAGE, stdio: "inherit" });
  const server = spawn("python3", ["tests/site/serve.py"], { cwd: PACKAGE, stdio: ["pipe", "pipe", "inherit"] });
  project.provide("service", await firstLine(server));
  return () => void server.stdin.end();
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stdout!.once("data", (line: Buffer) => resolve(String(line).trim()));
    server.once("exit", () => reject(new Error("the site of the tests did not start")));
  });
}

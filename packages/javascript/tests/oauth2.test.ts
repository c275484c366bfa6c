/** Tokens of OAuth 2: from a real authorization server, and from one that answers what the test says. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { Client, HTTPTransport, LintelError } from "../src/index.js";
import { originOf } from "../src/origins.js";
import { ClientCredentials, OAuth2Authentication, type OAuth2Options, type Tokens, discovered, finishLogin, metadataURLs, startLogin } from "../src/oauth2.js";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const TESTS = fileURLToPath(new URL("../../../tests", import.meta.url));
const CASES = JSON.parse(readFileSync(`${TESTS}/data/oauth2_cases.json`, "utf8"));
const run = promisify(execFile);
const SECRET = "a-very-secret-secret";
const WELL_KNOWN = "/.well-known/oauth-authorization-server";

interface Known {
  url: string;
  secret: string;
  program: string;
  browser: string;
}

describe("with a real server", () => {
  let server: ChildProcess;
  let known: Known;
  const folder = mkdtempSync(`${tmpdir()}/authorization-`);

  beforeAll(async () => {
    const env = { ...process.env, AUTHORIZATION_FOLDER: folder, DJANGO_SETTINGS_MODULE: "authorization_server.settings", PYTHONPATH: TESTS };
    server = spawn("python3", ["-m", "authorization_server.serve"], { cwd: TESTS, env, stdio: ["ignore", "pipe", "ignore"] });
    known = JSON.parse(await new Promise((resolve) => server.stdout!.once("data", (line) => resolve(String(line)))));
  });
  afterAll(() => {
    server.kill();
    rmSync(folder, { recursive: true });
  });

  const state = async (asked = ""): Promise<{ access: number; refresh: number }> => (await fetch(`${known.url}/state/${asked}`)).json() as never;
  const called = (auth: OAuth2Authentication): Promise<any> => new Client({ auth }).get(`${known.url}/me/`);

  async function signedIn(): Promise<Tokens> {
    const redirectURI = "http://127.0.0.1:8765/callback";
    const login = await startLogin({ server: `${known.url}/o`, clientId: known.browser, redirectURI, scopes: ["read"] });
    // The page's form is filled in, and its answer read instead of followed.
    const page = await fetch(login.url);
    const hidden = [...(await page.text()).matchAll(/<input type="hidden" name="([^"]+)"[^>]*value="([^"]*)"/g)];
    const form = new URLSearchParams(hidden.map(([, name, value]) => [name!, value!.replaceAll("&amp;", "&")]));
    form.set("allow", "Authorize");
    const headers = { Cookie: page.headers.get("set-cookie")!.split(";")[0]! };
    const answer = await fetch(login.url, { method: "POST", body: form, headers, redirect: "manual" });
    const kept = JSON.parse(JSON.stringify(login));
    return finishLogin(kept, answer.headers.get("Location")!, { clientId: known.browser });
  }

  test("a program authenticates as itself, and calls at the same time get one token", async () => {
    const before = (await state()).access;
    const auth = new ClientCredentials({ server: `${known.url}/o`, clientId: known.program, clientSecret: known.secret });
    const answers = await Promise.all([called(auth), called(auth), called(auth)]);
    expect(answers.map(({ client }) => client)).toEqual(["program", "program", "program"]);
    expect((await state()).access).toBe(before + 1);
    await state("?expire=1");
    expect((await called(auth)).client).toBe("program");
  });

  test("a person signs in, and the tokens are renewed and handed over", async () => {
    const tokens = await signedIn();
    expect(tokens.scope).toBe("read");
    const kept: Tokens[] = [];
    const options = { server: `${known.url}/o`, clientId: known.browser, onTokens: (made: Tokens) => void kept.push(made) };
    const auth = new OAuth2Authentication({ ...options, tokens });
    expect((await called(auth)).user).toBe("ada");
    await state("?expire=1");
    const before = (await state()).refresh;
    expect((await Promise.all([called(auth), called(auth)])).map(({ user }) => user)).toEqual(["ada", "ada"]);
    expect((await state()).refresh).toBe(before + 1);
    expect(kept.length).toBe(1);
    const due = { ...kept[0]!, receivedAt: Date.now() - 10 ** 6, expiresAt: Date.now() + 1000 };
    expect((await called(new OAuth2Authentication({ ...options, tokens: due }))).user).toBe("ada");
    expect(kept.length).toBe(2);
    await state("?expire=1&revoke=1");
    const over = new OAuth2Authentication({ ...options, tokens: kept[1]! });
    await expect(called(over)).rejects.toMatchObject({ code: "login", message: expect.stringContaining("log in again (invalid_grant)") });
  });

  test("docs/oauth2.md prints what it shows", async () => {
    const page = readFileSync(`${PACKAGE}../../docs/oauth2.md`, "utf8");
    const code = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text).join("\n");
    const names = { "https://auth.example.org": `${known.url}/o`, "https://api.example.org": known.url, "my-client": known.program, "my-secret": known.secret };
    const placed = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), code);
    const place = `${PACKAGE}build/oauth2/`;
    mkdirSync(place, { recursive: true });
    writeFileSync(`${place}page.mjs`, placed);
    const { stdout } = await run(process.execPath, [`${place}page.mjs`]);
    rmSync(place, { recursive: true });
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(stdout.trim().split("\n")).toEqual(said);
  });
});

describe("with a server that is told what to answer", () => {
  let server: Server;
  let root: string;
  let answers: Record<string, [status: number, body: unknown, headers?: Record<string, string>]>;
  let seen: { path: string; headers: IncomingMessage["headers"]; body: string }[];

  beforeEach(async () => {
    [answers, seen] = [{}, []];
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push({ path: request.url!, headers: request.headers, body });
      const [status, content, headers] = answers[request.url!] ?? [404, {}];
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(typeof content === "string" ? content : JSON.stringify(content));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    answers["/token"] = [200, { access_token: "abc", expires_in: 3600 }];
    answers["/api"] = [200, { done: true }];
    metadata();
  });
  afterEach(() => void server.close());

  function metadata(changes: object = {}): void {
    const whole = { issuer: root, token_endpoint: `${root}/token`, authorization_endpoint: `${root}/authorize`, ...changes };
    answers[WELL_KNOWN] = [200, JSON.stringify(whole).replaceAll("$ISSUER", root)];
  }

  const program = (more: Partial<OAuth2Options> = {}): ClientCredentials =>
    new ClientCredentials({ server: root, clientId: "me", clientSecret: SECRET, ...more });
  const called = (auth: OAuth2Authentication, url = `${root}/api`): Promise<unknown> => new Client({ auth }).get(url);

  async function judged(outcome: Promise<unknown>, error: string | null): Promise<void> {
    if (error === null) return void (await outcome);
    const thrown = await outcome.then(() => null, (reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(LintelError);
    expect((thrown as LintelError).message).toContain(error);
    expect((thrown as LintelError).message).not.toContain(SECRET);
  }

  test.each(CASES.metadata as any[])("metadata: $id", async ({ changes, error }: any) => {
    metadata(changes);
    await judged(called(program()), error);
  });

  test.each(CASES.tokens as any[])("tokens: $id", async ({ answer, error, expires }: any) => {
    answers["/token"] = [200, JSON.stringify(answer)];
    let made: Tokens | null = null;
    await judged(called(program({ onTokens: (tokens) => void (made = tokens) })), error);
    if (error === null) expect("expiresAt" in made!).toBe(expires);
  });

  test.each(CASES.callbacks as any[])("callbacks: $id", async ({ answer, error }: any) => {
    const login = await startLogin({ server: root, clientId: "me", redirectURI: "https://app.example/callback" });
    const url = new URL(login.redirectURI);
    for (const [name, value] of Object.entries({ code: "c", state: login.state, ...answer })) {
      for (const each of [value].flat()) if (each !== null) url.searchParams.append(name, String(each).replace("$ISSUER", root));
    }
    await judged(finishLogin(login, url.href, { clientId: "me" }), error);
    expect(seen.some(({ path }) => path === "/token")).toBe(error === null);
  });

  test("an answer names the host of endpoints without an issuer", async () => {
    const server = { tokenURL: `${root}/token`, authorizationURL: `${root}/authorize` };
    for (const [iss, error] of [[root, null], ["https://evil.example", "is not from"], ["evil", "is not from"]] as const) {
      const login = await startLogin({ server, clientId: "me", redirectURI: "https://app.example/" });
      const url = `https://app.example/?${new URLSearchParams({ code: "c", state: login.state, iss })}`;
      await judged(finishLogin(login, url, { clientId: "me" }), error);
    }
  });

  test("a server that names itself must do so", async () => {
    metadata({ authorization_response_iss_parameter_supported: true });
    const login = await startLogin({ server: root, clientId: "me", redirectURI: "https://app.example/" });
    await judged(finishLogin(login, `https://app.example/?code=c&state=${login.state}`, { clientId: "me" }), "lacks its issuer");
  });

  test.each([WELL_KNOWN, "/token"])("redirects of %s are not followed", async (path) => {
    answers[path] = [307, {}, { Location: "/elsewhere" }];
    await judged(called(program()), "redirects, which is not followed");
    expect(seen.map((each) => each.path)).not.toContain("/elsewhere");
  });

  test.each(["<html>", "[1]", `{"a": "${"x".repeat(300_000)}"}`])("metadata may be anything", async (content) => {
    answers[WELL_KNOWN] = [200, content];
    await judged(called(program()), "");
  });

  test("secrets are sent as the server asks, and nothing that is meant for the API", async () => {
    const transports = [new HTTPTransport({ headers: { "X-Key": "a", "*": { "X-All": "b" } } })];
    await new Client({ auth: program({ parameters: { audience: "x" } }), transports }).get(`${root}/api`);
    const [, token] = seen;
    expect(token!.headers["authorization"]).toBe(`Basic ${btoa(`me:${SECRET}`)}`);
    expect(token!.headers["x-key"] ?? token!.headers["x-all"]).toBe(undefined);
    expect(token!.body).toBe("audience=x&grant_type=client_credentials");
    metadata({ token_endpoint_auth_methods_supported: ["client_secret_post"] });
    await called(program());
    expect(seen.at(-2)!.body).toContain(`client_secret=${SECRET}`);
  });

  test("tokens go to no other host", async () => {
    const other = root.replace("127.0.0.1", "localhost");
    answers["/away"] = [302, {}, { Location: `${other}/api` }];
    server.close();
    const port = Number(new URL(root).port);
    server = createServer(server.listeners("request")[0] as never);
    await new Promise<void>((resolve) => server.listen(port, resolve));
    const client = new Client({ auth: program() });
    await client.get(`${root}/away`);
    await client.get(`${other}/api`);
    const withToken = seen.filter(({ headers }) => headers["authorization"]?.startsWith("Bearer"));
    expect(withToken.map(({ path }) => path)).toEqual(["/away"]);
    await called(program({ domain: "api.example" }));
    expect(seen.at(-1)).toMatchObject({ path: "/api" });
    expect(seen.at(-1)!.headers["authorization"]).toBe(undefined);
  });

  test("tokens that were kept stay with their host, whatever is called first", async () => {
    const kept: Tokens[] = [];
    await called(program({ onTokens: (tokens) => void kept.push(tokens) }));
    expect(originOf(kept[0]!.host!)).toEqual(originOf(root));
    const again = (host: string): OAuth2Authentication => new OAuth2Authentication({ server: root, clientId: "me", tokens: { ...kept[0]!, host } });
    await called(again(kept[0]!.host!));
    expect(seen.at(-1)!.headers["authorization"]).toBe(`Bearer ${kept[0]!.accessToken}`);
    await called(again("https://api.example:443"));
    expect(seen.at(-1)!.headers["authorization"]).toBe(undefined);
  });

  test("a refused token is replaced once", async () => {
    answers["/api"] = [401, { detail: "Never." }];
    const message = expect.stringMatching(/^401 Unauthorized\ndetail: Never\.\nThe credentials for 127\.0\.0\.1:\d+ were refused$/);
    await expect(called(program())).rejects.toMatchObject({ code: "response", status: 401, message });
    expect(seen.map(({ path }) => path)).toEqual([WELL_KNOWN, "/token", "/api", "/token", "/api"]);
  });

  test("a refresh that fails early does not matter yet", async () => {
    answers["/token"] = [503, { error: "temporarily_unavailable" }];
    const tokens = { accessToken: "old", refreshToken: "refresh-me-please", receivedAt: Date.now() - 10 ** 6, expiresAt: Date.now() + 5000 };
    const auth = (more: Partial<Tokens>): OAuth2Authentication => new OAuth2Authentication({ server: root, clientId: "me", tokens: { ...tokens, ...more } });
    expect(await called(auth({}))).toEqual({ done: true });
    await judged(called(auth({ expiresAt: Date.now() - 1 })), "temporarily_unavailable");
    await judged(called(auth({ expiresAt: 1, tokenURL: "https://other.example/token" })), "log in");
    expect(await called(auth({ expiresAt: 1, refreshToken: "" }))).toEqual({ done: true });
  });

  test("what is wrong is said at once", () => {
    expect(() => program({ parameters: { state: "x" } })).toThrow(TypeError);
    expect(() => program({ trustedHosts: ["https://a.example/"] })).toThrow(TypeError);
    expect(() => program({ server: "http://a.example" })).toThrow("must be https");
    expect(() => program({ server: { tokenURL: "http://a.example" } })).toThrow("must be https");
  });

  test("places of metadata, and hosts that are trusted", async () => {
    expect(metadataURLs("https://a.example/tenant/1/")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server/tenant/1",
      "https://a.example/tenant/1/.well-known/openid-configuration",
      "https://a.example/.well-known/openid-configuration/tenant/1",
      "https://a.example/tenant/1/.well-known/oauth-authorization-server",
    ]);
    metadata({ token_endpoint: "https://other.example/token" });
    expect((await discovered(root, { trustedHosts: ["other.example"] })).tokenURL).toBe("https://other.example/token");
    answers[WELL_KNOWN] = [404, {}];
    await expect(discovered(root)).rejects.toThrow("publishes no metadata");
  });
});

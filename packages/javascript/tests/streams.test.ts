/** Streams from a real server: without an end, with pauses, broken, and opened again. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";

import { Client, Document, Link, LintelError, type StreamEvent, TokenAuthentication } from "../src/index.js";

type Scene = (response: ServerResponse, request: IncomingMessage) => unknown;

let server: Server;
let scenes: Scene[];
let seen: IncomingMessage[];
let document: Document;

beforeEach(async () => {
  [scenes, seen] = [[], []];
  server = createServer((request, response) => {
    seen.push(request);
    const scene = scenes.shift();
    if (scene) scene(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  document = new Document({ url }, { follow: new Link({ url: "/events/" }), run: new Link({ url: "/events/", action: "post" }) });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function sends(text: string, type = "text/event-stream"): Scene {
  return (response) => response.writeHead(200, { "Content-Type": type }).end(text);
}

const ended: Scene = (response) => response.writeHead(204).end();

/** Return a scene that sends without an end, and a promise of when its connection was closed. */
function endless(text: string): [Scene, Promise<void>] {
  let close: () => void;
  const closed = new Promise<void>((resolve) => (close = resolve));
  const scene: Scene = (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const timer = setInterval(() => response.write(text), 5);
    response.on("close", () => (clearInterval(timer), close()));
  };
  return [scene, closed];
}

async function all(stream: AsyncIterable<any>): Promise<any[]> {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

test("an id that is too long for the server is its error", async () => {
  scenes = [sends(`retry: 1\nid: ${"i".repeat(300_000)}\ndata: x\n\n`)];
  const error = await all(new Client().stream(document, ["follow"])).catch((reason) => reason);
  expect(error).toBeInstanceOf(LintelError);
  expect(error).toMatchObject({ code: "response", status: 431 });
});

test("items come before the stream goes on", async () => {
  let goOn: () => void = () => undefined;
  scenes = [
    (response) => {
      response.writeHead(200, { "Content-Type": "application/jsonl" }).write('{"n": 1}\n');
      goOn = () => response.end('{"n": 2}\n');
    },
  ];
  const stream = new Client().stream(document, ["follow"]);
  expect((await stream.next()).value).toEqual({ n: 1 });
  goOn();
  expect(await all(stream)).toEqual([{ n: 2 }]);
});

test("ending the iteration closes the connection", async () => {
  const [scene, closed] = endless("data: 1\n\n");
  scenes = [scene];
  for await (const event of new Client().stream(document, ["follow"])) {
    expect(event).toEqual({ data: "1", event: "message", id: "" });
    break;
  }
  await closed;
});

test("aborting closes the connection, also while waiting for the next one", async () => {
  const [scene, closed] = endless("data: 1\n\n");
  scenes = [scene];
  const controller = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const _ of new Client().stream(document, ["follow"], {}, { signal: controller.signal })) controller.abort();
  };
  await expect(follow()).rejects.toMatchObject({ code: "aborted" });
  await closed;

  scenes = [sends("retry: 100000\n\n")];
  const signal = AbortSignal.timeout(200);
  await expect(all(new Client().stream(document, ["follow"], {}, { signal }))).rejects.toMatchObject({ code: "aborted" });
});

test("an item that is too large closes the connection", async () => {
  const [scene, closed] = endless("data: 1234567890\n");
  scenes = [scene];
  await expect(all(new Client().stream(document, ["follow"], {}, { maxItem: 100 }))).rejects.toThrow("larger than 100 bytes");
  await closed;
  expect(seen.length).toBe(1);
});

test("events go on after the last one, until there is no content", async () => {
  scenes = [
    sends("retry: 10\nid: é1\ndata: a\n\n"),
    (response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Content-Length": "1000" });
      response.write("id: 2\ndata: b\n\nid: 3\ndata: lost", () => response.destroy());
    },
    (response) => response.writeHead(503).end(),
    (response) => response.destroy(),
    sends("data: c\n\n"),
    ended,
  ];
  const client = new Client({ auth: new TokenAuthentication({ token: "abc" }) });
  const events: StreamEvent[] = await all(client.stream(document, ["follow"]));
  expect(events.map(({ data, id }) => [data, id])).toEqual([["a", "é1"], ["b", "2"], ["c", "2"]]);
  const ids = seen.map(({ headers }) => headers["last-event-id"] && Buffer.from(String(headers["last-event-id"]), "latin1").toString());
  expect(ids).toEqual([undefined, "é1", "2", "2", "2", "2"]);
  expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer abc"]));
});

test("an earlier stream is continued, and other streams end with their connection", async () => {
  scenes = [sends("data: 1\n\n"), sends("data: 1\n\n"), sends("1\n2", "application/x-ndjson")];
  const client = new Client();
  expect(await all(client.stream(document, ["follow"], {}, { reconnect: false, lastEventId: "5" }))).toEqual([{ data: "1", event: "message", id: "5" }]);
  expect(seen[0]!.headers["last-event-id"]).toBe("5");
  expect((await all(client.stream(document, ["run"]))).length).toBe(1);
  expect(await all(client.stream(document, ["follow"]))).toEqual([1, 2]);
  expect(seen.length).toBe(3);
});

test("an error ends a stream that is opened again", async () => {
  scenes = [sends("retry: 1\ndata: 1\n\n")];
  await expect(all(new Client().stream(document, ["follow"]))).rejects.toMatchObject({ code: "response", status: 404 });
});

test("errors come before the first item", async () => {
  const error = await all(new Client().stream(document, ["follow"])).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LintelError);
  expect(error).toMatchObject({ code: "response", status: 404 });
  scenes = [(response) => response.writeHead(503).end()];
  await expect(all(new Client().stream(document, ["follow"]))).rejects.toMatchObject({ status: 503 });
  scenes = [(response) => response.destroy()];
  await expect(all(new Client().stream(document, ["follow"]))).rejects.toMatchObject({ code: "network" });
  scenes = [sends("[1]", "application/json")];
  await expect(all(new Client().stream(document, ["follow"]))).rejects.toThrow("is not a stream but application/json");
  scenes = [sends("1\n2\n", "application/json")];
  expect(await all(new Client().stream(document, ["follow"], {}, { format: "ndjson" }))).toEqual([1, 2]);
});

test("a broken connection is an error after the complete items", async () => {
  scenes = [
    (response) => {
      response.writeHead(200, { "Content-Type": "application/x-ndjson", "Content-Length": "1000" });
      response.write("1\n2\n3", () => response.destroy());
    },
  ];
  const stream = new Client().stream(document, ["follow"]);
  expect([(await stream.next()).value, (await stream.next()).value]).toEqual([1, 2]);
  await expect(stream.next()).rejects.toMatchObject({ code: "network" });
});

test("streams are asked for", async () => {
  scenes = [ended];
  expect(await all(new Client().stream(document, ["follow"]))).toEqual([]);
  expect(seen[0]!.headers.accept).toBe("text/event-stream, application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.1");
});

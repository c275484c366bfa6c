import { Document } from "../document.js";
import { type EventTypes, Field, Link, type SecurityRequirement, type StreamItem } from "../link.js";
import { formatOf } from "../streams/kinds.js";
import { mediaTypeOf } from "../text.js";
import { resolve } from "../urls.js";
import { readBodies } from "./bodies.js";
import { extended } from "./extension.js";
import { type Named, keyPaths } from "./names.js";
import { BrokenReference, type Description, type Node, followed, list, mapping, pointer, reached, text } from "./nodes.js";
import { readPagination } from "./pagination.js";
import { mergedParameters, readParameters, styledPath } from "./parameters.js";
import { type Schemes, readSchemes, readSecurity } from "./security.js";
import { describedData, describedEvents } from "./events.js";
import { joinedURL, oldServerURL, serverURL } from "./servers.js";
import { newBody, resultSchema } from "./swagger.js";
import { styledWriter } from "./writer.js";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
/** The extension that holds the keys of an operation. */
const KEYS = "x-lintel-keys";

/** Defaults for all operations that specify nothing else. */
interface Whole {
  readonly description: Description;
  readonly server: string;
  readonly schemes: Schemes;
  readonly security: readonly SecurityRequirement[] | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** One operation of the description, and the path item that contains it. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly node: Node;
  readonly item: Node;
  /** Why the operation itself cannot be read; undefined if it can. */
  readonly problem?: string;
}

/** Return the document of a description, with a link for each operation. */
export function readDocument(description: Description, mediaType: string, variables: Readonly<Record<string, string>>): Document {
  const { root, isOld, url } = description;
  const schemes = readSchemes(description);
  const server = isOld ? oldServerURL(description) : serverURL(description, root["servers"], variables);
  const whole = { description, schemes, variables, server: server || resolve(url, "/"), security: readSecurity(root["security"], schemes) };
  const operations = readOperations(description);
  const described = new Set(list(root["tags"]).map((tag) => text(mapping(tag)["name"])));
  const paths = keyPaths(operations.map(named), described);
  const content = nested(paths, operations.map((operation) => readLink(whole, operation)));
  const info = mapping(root["info"]);
  const texts = { url, title: text(info["title"]), description: text(info["description"]), mediaType, definitions: root };
  return new Document(texts, content, description.issues);
}

function nested(paths: readonly string[][], links: readonly Link[]): Map<string, unknown> {
  const content = new Map<string, unknown>();
  paths.forEach((path, at) => {
    let holder = content;
    for (const key of path.slice(0, -1)) {
      if (!(holder.get(key) instanceof Map)) holder.set(key, new Map());
      holder = holder.get(key) as Map<string, unknown>;
    }
    holder.set(path.at(-1)!, links[at]);
  });
  return content;
}

function named({ method, path, node }: Operation): Named {
  const [tag] = list(node["tags"]).filter((each) => typeof each === "string" && each);
  const keys = list(node[KEYS]);
  const areKeys = keys.every((key) => typeof key === "string");
  return { method, path, operationId: text(node["operationId"]), tag: text(tag), keys: areKeys ? (keys as string[]) : [] };
}

function readOperations(description: Description): Operation[] {
  return Object.entries(mapping(description.root["paths"])).flatMap(([path, node]) => {
    if (path.startsWith("x-")) return [];
    try {
      const item = { ...followed(description, node, "path"), ...mapping(node) };
      return itemOperations(description, item, path.startsWith("/") ? path : `/${path}`);
    } catch (error) {
      if (!(error instanceof BrokenReference)) throw error;
      description.issues.push(`${pointer("#/paths", path)}: ${error.message}`);
      return [];
    }
  });
}

function itemOperations(description: Description, item: Node, path: string): Operation[] {
  const known = Object.entries(item).filter(([key]) => METHODS.includes(key));
  const further = ["additionalOperations", "x-additionalOperations"].flatMap((key) => Object.entries(mapping(item[key])));
  return [...known, ...further].map(([method, node]) => ({ method: method.toLowerCase(), path, item, ...readNode(description, node) }));
}

function readNode(description: Description, node: unknown): Pick<Operation, "node" | "problem"> {
  try {
    // An empty operation lacks nothing, unlike one that is elsewhere.
    return { node: node === null ? {} : followed(description, node, "operation") };
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    return { node: {}, problem: error.message };
  }
}

/** Return the link of an operation; one that cannot be called says why, and the others stay usable. */
function readLink(whole: Whole, operation: Operation): Link {
  const { description } = whole;
  const { method, path, node, problem } = operation;
  const shown = { action: method, operationId: text(node["operationId"]), title: text(node["summary"]), description: text(node["description"]) };
  try {
    if (problem) throw new BrokenReference(problem);
    const link = { ...shown, ...requestOf(whole, operation), deprecated: node["deprecated"] === true, writer: styledWriter };
    return new Link(extended(link, node["x-lintel"]));
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    description.issues.push(`${pointer("#/paths", path, method)}: ${error.message}`);
    return new Link({ ...shown, url: joinedURL(whole.server, path), problem: error.message });
  }
}

function requestOf(whole: Whole, { node, item, path, method }: Operation): object {
  const { description, schemes } = whole;
  const parameters = mergedParameters(description, node["parameters"], item["parameters"]);
  const fields = readParameters(description, parameters, path);
  const described = description.isOld ? newBody(description, node, parameters) : node["requestBody"];
  const bodies = readBodies(description, described, new Set(fields.map(({ name }) => name)));
  const own = description.isOld && list(node["schemes"]).length ? oldServerURL(description, node["schemes"]) : serverOf(whole, node);
  const server = own || serverOf(whole, item) || whole.server;
  return {
    url: resolve(description.url, joinedURL(server, styledPath(path, fields))),
    encoding: bodies[0]?.mediaType ?? "",
    fields: [...fields, ...missingVariables(path, fields), ...(bodies[0]?.fields ?? [])],
    bodies,
    security: readSecurity(node["security"], schemes) ?? whole.security,
    result: resultOf(description, node),
    pagination: method === "get" ? readPagination(description, fields, node) : null,
    events: eventsOf(description, node),
    item: itemOf(description, node),
  };
}

function serverOf({ description, variables }: Whole, node: Node): string {
  return serverURL(description, node["servers"], variables);
}

/** Return required fields for variables of the path that no parameter describes. */
function missingVariables(path: string, fields: readonly Field[]): Field[] {
  const names = [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name]) => name!);
  const missing = names.filter((name) => !fields.some((field) => field.location === "path" && field.name === name));
  return missing.map((name) => new Field({ name, required: true, location: "path", style: "simple" }));
}

function eventsOf(description: Description, node: Node): EventTypes | null {
  const successes = Object.entries(mapping(node["responses"])).filter(([status]) => /^[2d]/.test(status));
  for (const [, response] of successes) {
    const content = mapping(mapping(reached(description, response))["content"]);
    const media = Object.entries(content).find(([type]) => mediaTypeOf(type) === "text/event-stream");
    const schema = media && mapping(media[1])["itemSchema"];
    if (schema) return describedEvents(description, schema);
  }
  return null;
}

function itemOf(description: Description, node: Node): StreamItem | null {
  const successes = Object.entries(mapping(node["responses"])).filter(([status]) => /^[2d]/.test(status));
  const content = successes.flatMap(([, response]) => Object.entries(mapping(mapping(reached(description, response))["content"])));
  for (const [type, media] of content) {
    const [format, schema] = [formatOf(mediaTypeOf(type)), mapping(media)["itemSchema"]];
    if (format && schema) return { isEvent: format === "sse", schema: format === "sse" ? describedData(description, schema) : mapping(schema) };
  }
  return null;
}

function resultOf(description: Description, node: Node): Node | null {
  const responses = mapping(node["responses"]);
  const status = Object.keys(responses).find((each) => /^2/.test(each)) ?? "default";
  if (status === "204") return { type: "null" };
  try {
    return responses[status] ? resultSchema(followed(description, responses[status], "response"), description.isOld) : null;
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    return null;
  }
}

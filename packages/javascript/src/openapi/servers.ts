import { LintelError } from "../errors.js";
import { resolve } from "../urls.js";
import { type Description, type Node, list, mapping, text } from "./nodes.js";

/** Other schemes than those that transports serve, such as that of web sockets. */
const FOREIGN = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;

/**
 * Return the URL of the first server over HTTP, or else of the first; "" if none is described. Throws a LintelError
 * for an illegal value.
 */
export function serverURL(description: Description, servers: unknown, values: Readonly<Record<string, string>>): string {
  const described = list(servers).map(mapping).filter((server) => typeof server["url"] === "string");
  const urls = described.map((server) => expandedURL(description, server, values));
  return urls.find((url) => !FOREIGN.test(url)) ?? urls[0] ?? "";
}

function expandedURL(description: Description, server: Node, values: Readonly<Record<string, string>>): string {
  const variables = mapping(server["variables"]);
  const url = (text(server["url"]) || "/").replace(/\{([^{}]*)\}/g, (whole, name: string) => variable(mapping(variables[name]), name, values) ?? whole);
  return resolve(description.url, url);
}

function variable(described: Node, name: string, values: Readonly<Record<string, string>>): string | undefined {
  const given = Object.hasOwn(values, name) ? values[name] : undefined;
  const legal = list(described["enum"]).map(String);
  if (given !== undefined && legal.length && !legal.includes(given)) {
    const message = `The server variable ${JSON.stringify(name)} must be one of ${legal.join(", ")}, not ${JSON.stringify(given)}`;
    throw new LintelError("parameter", message);
  }
  const chosen = given ?? described["default"] ?? legal[0];
  return chosen === undefined ? undefined : String(chosen);
}

/** Return the URL of the server of version 2.0, with the scheme the description was loaded by if it is listed. */
export function oldServerURL({ root, url }: Description, schemes: unknown = root["schemes"]): string {
  const found = /^(https?):\/\/([^/?#]*)/.exec(url);
  // Some descriptions write the scheme or a slash with the host.
  const host = text(root["host"]).replace(/^.*:\/\/|\/+$/g, "") || (found?.[2] ?? "");
  const path = `/${text(root["basePath"]).replace(/^\/+|\/+$/g, "")}`;
  const listed = list(schemes).filter((scheme) => scheme === "http" || scheme === "https");
  const fetched = found?.[1] ?? "https";
  const scheme = !listed.length || listed.includes(fetched as "http") ? fetched : listed.includes("https") ? "https" : "http";
  return host ? `${scheme}://${host}${path}` : path;
}

/** Paths are appended, slashes not doubled. */
export function joinedURL(server: string, path: string): string {
  const end = server.search(/[?#]|$/);
  return server.slice(0, end).replace(/\/+$/, "") + path + server.slice(end);
}

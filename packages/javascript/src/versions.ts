import type { OutgoingRequest } from "./request/building.js";
import { LintelError } from "./errors.js";

/** Where a server reads the version of its API from. */
export interface VersionPlace {
  version: string;
  /** "accept" is a parameter of the media types, "query" of the URL, "path" a variable, "host" the first label. */
  in?: "accept" | "query" | "path" | "host";
  /** The name of the parameter or variable. */
  name?: string;
}

/** Return a request that asks for one version. */
export function versioned(request: OutgoingRequest, place: VersionPlace): OutgoingRequest {
  const { version, name = "version" } = place;
  if (!/^[\w.~-]+$/.test(version) || !/^[\w-]+$/.test(name)) {
    throw new LintelError("parameter", `${JSON.stringify(version)} is not a version`);
  }
  if (place.in === "query") return { ...request, url: withQuery(request.url, name, version) };
  if (place.in === "host") return { ...request, url: withHost(request.url, version) };
  if (place.in === "path") return request;
  const headers = new Headers(request.headers);
  const accept = (headers.get("Accept") ?? "*/*").split(", ");
  headers.set("Accept", accept.map((type) => type.replace(/^[^;]+/, `$&; ${name}=${version}`)).join(", "));
  return { ...request, headers };
}

function withQuery(url: string, name: string, version: string): string {
  if (new URL(url).searchParams.has(name)) return url;
  return `${url}${url.includes("?") ? "&" : "?"}${name}=${version}`;
}

function withHost(url: string, version: string): string {
  return url.replace(/^(\w+:\/\/)[^./:]+(?=\.)/, `$1${version}`);
}

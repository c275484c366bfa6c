/** The client with the native format and OpenAPI, as pages have it: it writes no OpenAPI. */
export * from "./native.js";
export { CoreJSONCodec } from "./codecs/corejson.js";
export { HTTPTransport, type HTTPTransportOptions } from "./http-transport.js";
export { Client, defaultDecoders, type ClientOptions, type PageOptions, type StreamOptions } from "./full-client.js";
export { SchemeAuthentication, type Credentials } from "./openapi/auth.js";
export { OpenAPICodec, type OpenAPIOptions } from "./openapi/codec.js";
export { SessionAuthentication } from "./sessions.js";
export type { Pagination } from "./pages.js";
export type { StreamEvent } from "./streams/events.js";
export type { StreamFormat } from "./streams/stream.js";
export type { Retry } from "./retries.js";
export type { VersionPlace } from "./versions.js";

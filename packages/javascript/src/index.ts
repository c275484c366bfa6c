/** The client with the native format and OpenAPI. */
export * from "./page.js";
export { OpenAPICodec, type OpenAPIOptions } from "./openapi/encoding.js";

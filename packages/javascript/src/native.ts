/** The client with the native format alone, for pages in which size matters. */
export { Auth, BasicAuthentication, SessionAuthentication, TokenAuthentication, type Proof, type SessionOptions } from "./auth.js";
export { Client, nativeDecoders, type ActionOptions, type CallOptions, type ClientOptions, type GetOptions, type Keys } from "./client.js";
export type { Codec, DecodingOptions } from "./codec.js";
export { CoreJSONReader as CoreJSONCodec } from "./codecs/corejson-reader.js";
export { JSONCodec, TextCodec } from "./codecs/data.js";
export { Document, DocumentError, DocumentNode, DocumentObject, type Key, type Value } from "./document.js";
export { Download } from "./download.js";
export { LintelError, type ErrorCode } from "./errors.js";
export { Field, Link, type Body, type FieldInit, type LinkInit, type PartEncoding, type Schema, type SecurityScheme } from "./link.js";
export { Domain } from "./origins.js";
export type { OnProgress, Progress } from "./reading.js";
export type { OutgoingRequest } from "./request/building.js";
export type { ParameterValues } from "./request/parameters.js";
export { FetchTransport as HTTPTransport, type FetchOptions, type SendingOptions, type Transport } from "./transports.js";
export { VERSION } from "./version.js";

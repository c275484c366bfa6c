import { Client as NativeClient, type ClientOptions, nativeDecoders } from "./client.js";
import type { Codec } from "./codec.js";
import { OpenAPICodec } from "./openapi/codec.js";

export * from "./native.js";
export { SchemeAuthentication, type Credentials } from "./openapi/auth.js";
export { OpenAPICodec, type OpenAPIOptions } from "./openapi/codec.js";

/** The codecs that a client has unless it is given others. */
export function defaultDecoders(): Codec[] {
  const [native, ...data] = nativeDecoders();
  return [native!, new OpenAPICodec(), ...data];
}

/** The client that reads the native format and OpenAPI. */
export class Client extends NativeClient {
  constructor(options: ClientOptions = {}) {
    super({ ...options, decoders: options.decoders ?? defaultDecoders() });
  }
}

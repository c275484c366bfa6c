/** Like browser.ts, with the native format alone. */
import { BasicAuthentication, SessionAuthentication, TokenAuthentication } from "./auth.js";
import { Client } from "./client.js";
import { CoreJSONReader as CoreJSONCodec } from "./codecs/corejson-reader.js";
import { JSONCodec, TextCodec } from "./codecs/data.js";
import { Document } from "./document.js";
import { LintelError } from "./errors.js";
import { legacyNames } from "./legacy.js";
import { Field, Link } from "./link.js";
import { FetchTransport as HTTPTransport } from "./transports.js";

const authentication = { BasicAuthentication, SessionAuthentication, TokenAuthentication };
const codecs = { CoreJSONCodec, JSONCodec, TextCodec };
const lintel = { Client, Document, Field, HTTPTransport, Link, LintelError, ...authentication, ...codecs };

Object.assign(globalThis, { lintel, coreapi: legacyNames(lintel) });

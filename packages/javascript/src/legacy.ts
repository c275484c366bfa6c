import type * as native from "./native.js";

/** The names in the groups in which pages look for them: `coreapi.auth.SessionAuthentication` and so on. */
export function legacyNames(lintel: typeof native): Record<string, unknown> {
  const { BasicAuthentication, SessionAuthentication, TokenAuthentication } = lintel;
  const { CoreJSONCodec, JSONCodec, TextCodec, LintelError } = lintel;
  return {
    ...lintel,
    auth: { BasicAuthentication, SessionAuthentication, TokenAuthentication },
    codecs: { CoreJSONCodec, JSONCodec, TextCodec },
    errors: { ErrorMessage: LintelError, LinkLookupError: LintelError, ParameterError: LintelError },
    transports: { HTTPTransport: lintel.HTTPTransport },
  };
}

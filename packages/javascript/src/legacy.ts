/** The names grouped as pages expect them: `coreapi.auth.SessionAuthentication` and so on. */
export function legacyNames<Names extends Record<string, unknown>>(lintel: Names): object {
  const group = (ending: string): object => Object.fromEntries(Object.entries(lintel).filter(([name]) => name.endsWith(ending)));
  const error = lintel["LintelError"];
  return {
    ...lintel,
    auth: group("Authentication"),
    codecs: group("Codec"),
    transports: group("Transport"),
    errors: { ErrorMessage: error, LinkLookupError: error, ParameterError: error },
  };
}

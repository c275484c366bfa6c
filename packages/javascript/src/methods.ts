/** The safe methods (RFC 9110, 9.2.1) except TRACE, which returns the credentials of a request. */
const SAFE = /^(get|head|options|query)?$/i;
/** The verbs of reading at the start of names, such as those that our own naming uses. */
const READING = /^(?:read|list|get|show|retrieve|head|options|view|fetch|describe|details?|info)$/i;

/** Whether a method changes nothing; an empty one is GET. */
export function isSafe(method: string): boolean {
  return SAFE.test(method);
}

/** Whether a name begins with a verb of reading, so that nobody expects it to write. */
export function readsSafe(name: string): boolean {
  return READING.test(/^[^A-Za-z0-9]*([A-Z]?[a-z]+|[A-Z]+)/.exec(name)?.[1] ?? "");
}

/**
 * Return a header field that is safe to send, its value encoded as UTF-8 in the form that the platform takes.
 * Throws a TypeError for a name or value that would break the message.
 */
export function checkedHeader(name: string, value: string): [string, string] {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a header name`);
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
    throw new TypeError(`The value of the header ${name} contains a line break or control character`);
  }
  return [name, byteText(value.replace(/^[ \t]+|[ \t]+$/g, ""))];
}

/** One character per byte of UTF-8; fetch sends these unchanged. */
export function byteText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/**
 * Return a header field that is safe to send, its value as UTF-8 in the form that the platform takes.
 * Throws a TypeError for one that breaks the message.
 */
export function checkedHeader(name: string, value: string): [string, string] {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a header name`);
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
    throw new TypeError(`The value of the header ${name} holds a line break or control character`);
  }
  return [name, byteText(value.replace(/^[ \t]+|[ \t]+$/g, ""))];
}

/** One character for each byte of UTF-8, which is what fetch puts on the wire as it is. */
export function byteText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

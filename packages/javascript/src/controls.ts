/** Characters that act on a terminal (C0, DEL, C1), or turn the direction of the text around them (UAX 9). */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The most of a text that an error shows, in characters. */
const LONGEST = 10_000;

/** Return what an error shows of a text of others. */
export function shown(text: string): string {
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** Return text of others with a mark in place of each such character; line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(ACTING, "\ufffd");
}

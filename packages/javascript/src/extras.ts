/** What the full client adds to modules that both clients share; the small one does without. */
export interface Extras {
  /** The known names that are like a name. */
  near(name: string, known: Iterable<string>): string[];
  /** The media type of a file by the ending of its name; empty for others. */
  typeOfEnding(ending: string): string;
  /** The messages of a problem's lists (RFC 9457) by parameter; null for what is no such list. */
  listed(items: unknown): [string, string[]][] | null;
}

export const extras: Extras = {
  near: () => [],
  typeOfEnding: () => "",
  listed: () => null,
};

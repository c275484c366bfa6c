/** What the full client adds to modules that both clients share; the small one does without. */
export interface Extras {
  /** Return the known names that are similar to a name. */
  near(name: string, known: Iterable<string>): string[];
  /** Return the media type of a file by its extension; empty if unknown. */
  typeOfEnding(ending: string): string;
  /** Return the messages of a problem's list (RFC 9457) by parameter; null for other lists. */
  listed(items: unknown): [string, string[]][] | null;
  /** Return what to show of an error that is an HTML page. */
  pageText(page: string): string;
}

export const extras: Extras = {
  near: () => [],
  typeOfEnding: () => "",
  listed: () => null,
  pageText: (page) => page,
};

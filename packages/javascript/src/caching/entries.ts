/** What a cache keeps of a response, and how long that is fresh (RFC 9111, section 4.2). */

/** A stored response; times are in seconds since 1970. It can be cloned, as databases of browsers do. */
export interface Entry {
  readonly headers: readonly Field[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** When the response was asked for. */
  readonly requested: number;
  /** When it was received. */
  readonly received: number;
  /** Those headers of the request that Vary names and the key leaves out. */
  readonly varying: readonly Field[];
}

export type Field = readonly [name: string, value: string];

/** Fields of one connection, and of a body that a 304 does not have (RFC 9111, section 3.2). */
const OWN = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "te", "trailer", "upgrade", "transfer-encoding"],
  ...["age", "content-length", "content-encoding", "content-range", "content-type"],
]);
/** Fields that are not stored: a jar must not see old cookies again. */
const DROPPED = new Set(["set-cookie", "set-cookie2", "connection", "transfer-encoding"]);
const LONGEST = 2 ** 31;
const TIME = /^([a-z]{3,9},? )?\d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d( (gmt|utc|[+-]\d{4}))?$/i;
/** The form of C's asctime. */
const ASCTIME = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i;

/** Return the headers of an entry. */
export function fieldsOf(entry: Entry): Headers {
  return new Headers(entry.headers as [string, string][]);
}

/** Return the headers to store. */
export function keptHeaders(headers: Headers): Field[] {
  return [...headers].filter(([name]) => !DROPPED.has(name));
}

/** Return the directives of Cache-Control in lower case; of one given twice, the first. */
export function directivesOf(headers: Headers): Map<string, string> {
  const found = new Map<string, string>();
  const text = headers.get("Cache-Control");
  for (const [, name, quoted, plain] of (text ?? "").matchAll(/([^\s=,;"]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;"]*)))?/g)) {
    const key = name!.toLowerCase();
    if (!found.has(key)) found.set(key, quoted || plain || "");
  }
  if (text === null && headers.get("Pragma")?.toLowerCase().includes("no-cache")) found.set("no-cache", "");
  return found;
}

/** Return the age of a response in seconds; a clock that went back makes it endless. */
export function ageOf(entry: Entry, now: number): number {
  const { requested, received } = entry;
  if (now < received) return LONGEST;
  const fields = fieldsOf(entry);
  const apparent = Math.max(0, received - secondsOf(fields.get("Date"), received));
  return Math.max(apparent, numberOf(fields.get("Age")) + received - requested) + now - received;
}

/** Return for how many seconds a response is fresh; it is never guessed. */
export function lifetimeOf(fields: Headers, received: number): number {
  const directives = directivesOf(fields);
  if (directives.has("no-cache")) return 0;
  if (directives.has("max-age")) return numberOf(directives.get("max-age"));
  const expires = fields.get("Expires");
  return expires === null ? 0 : Math.max(0, secondsOf(expires, 0) - secondsOf(fields.get("Date"), received));
}

/** Return the header fields that ask whether a response is still the current one. */
export function conditionsOf(headers: Headers): Field[] {
  const named: readonly Field[] = [["If-None-Match", "ETag"], ["If-Modified-Since", "Last-Modified"]];
  return named.flatMap(([name, of]): Field[] => (headers.has(of) ? [[name, headers.get(of)!]] : []));
}

/** Return an entry with the headers of a 304; null if that is about another response. */
export function renewed(entry: Entry, headers: Headers, requested: number, received: number): Entry | null {
  const merged = fieldsOf(entry);
  const [tag, named] = [merged.get("ETag"), headers.get("ETag")];
  if (tag && named && tag.replace(/^W\//, "") !== named.replace(/^W\//, "")) return null;
  merged.delete("Age");
  for (const [name, value] of headers) if (!OWN.has(name)) merged.set(name, value);
  return { ...entry, headers: keptHeaders(merged), requested, received };
}

/** Return whether a stored response may answer a request without asking the server. */
export function isFresh(entry: Entry, request: Headers, now: number): boolean {
  const asked = directivesOf(request);
  const own = directivesOf(fieldsOf(entry));
  const [age, lifetime] = [ageOf(entry, now), lifetimeOf(fieldsOf(entry), entry.received)];
  if (asked.has("no-cache") || own.has("no-cache")) return false;
  if (asked.has("max-age") && age > numberOf(asked.get("max-age"))) return false;
  if (lifetime > age + numberOf(asked.get("min-fresh"))) return true;
  const stale = asked.get("max-stale");
  return stale !== undefined && !own.has("must-revalidate") && age - lifetime <= (stale ? numberOf(stale) : LONGEST);
}

/** Return seconds; what is no number counts as none, so that the response is stale. */
function numberOf(text: string | null | undefined): number {
  return /^\d{1,98}$/.test(text ?? "") ? Math.min(Number(text), LONGEST) : 0;
}

/** Return a date as seconds since 1970, `otherwise` for none and for an invalid one. */
function secondsOf(date: string | null, otherwise: number): number {
  const isLocal = date !== null && ASCTIME.test(date);
  const found = isLocal || TIME.test(date ?? "") ? Date.parse(isLocal ? `${date} GMT` : date!) : Number.NaN;
  return Number.isNaN(found) ? otherwise : found / 1000;
}

import type { Entry } from "./entries.js";

/** The group of an entry, whose entries are forgotten together, and its name in it. */
export type CacheKey = readonly [group: string, name: string];

/** The interface between a cache and what keeps its entries. Failures are misses. */
export interface CacheStore {
  /**
   * A random secret of 16 bytes or more, kept with the entries: keys are digests then, which tell nothing about
   * credentials. Null for a store in memory, whose keys are text.
   */
  readonly secret: Uint8Array<ArrayBuffer> | null;
  get(key: CacheKey): Entry | undefined | Promise<Entry | undefined>;
  put(key: CacheKey, entry: Entry): void | Promise<void>;
  remove(key: CacheKey): void | Promise<void>;
  /** Remove all entries of a group. */
  drop(group: string): void | Promise<void>;
}

/** What an entry takes beside its body. */
const BLOCK = 4096;

/** Keeps the entries that were used last, in at most `maxSize` bytes. */
export class MemoryStore implements CacheStore {
  readonly secret = null;
  readonly #groups = new Map<string, Map<string, Entry>>();
  readonly #order = new Map<string, CacheKey>();
  #size = 0;

  constructor(readonly maxSize: number) {}

  get(key: CacheKey): Entry | undefined {
    const entry = this.#groups.get(key[0])?.get(key[1]);
    if (entry) this.#use(key);
    return entry;
  }

  put(key: CacheKey, entry: Entry): void {
    this.remove(key);
    const group = this.#groups.get(key[0]) ?? new Map<string, Entry>();
    this.#groups.set(key[0], group.set(key[1], entry));
    this.#size += sizeOf(entry);
    this.#use(key);
    for (const [, oldest] of this.#order) {
      if (this.#size <= this.maxSize) break;
      this.remove(oldest);
    }
  }

  remove(key: CacheKey): void {
    const group = this.#groups.get(key[0]);
    const entry = group?.get(key[1]);
    if (!group || !entry) return;
    group.delete(key[1]);
    if (!group.size) this.#groups.delete(key[0]);
    this.#order.delete(JSON.stringify(key));
    this.#size -= sizeOf(entry);
  }

  drop(group: string): void {
    for (const name of [...(this.#groups.get(group)?.keys() ?? [])]) this.remove([group, name]);
  }

  #use(key: CacheKey): void {
    const name = JSON.stringify(key);
    this.#order.delete(name);
    this.#order.set(name, key);
  }
}

function sizeOf(entry: Entry): number {
  const fields = entry.headers.reduce((size, [name, value]) => size + name.length + value.length, 0);
  return entry.body.byteLength + fields + BLOCK;
}

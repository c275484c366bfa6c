/** What a codec is told of where content came from. */
export interface DecodingOptions {
  baseUrl?: string;
  contentType?: string;
  /** Integers beyond 2^53 become BigInt. */
  bigint?: boolean;
}

/** How the bytes of one format become a document or data, and back. */
export interface Codec {
  /** A short name for people, such as "corejson". */
  readonly format: string;
  /** All media types that it reads, the most wanted first; wildcards such as "text/*" are allowed. */
  readonly mediaTypes: readonly string[];
  /** Whether it reads documents, as opposed to plain data. */
  readonly readsDocuments: boolean;
  decode(content: Uint8Array | string, options?: DecodingOptions): unknown;
  encode?(document: unknown, options?: { indent?: boolean }): string;
  /** Whether plain JSON data is a description in this format, for servers that do not say so. */
  recognizes?(data: unknown): boolean;
  /** Read a description from data that has been parsed already. */
  fromData?(data: unknown, options?: DecodingOptions): unknown;
}

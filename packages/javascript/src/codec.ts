/** The context of content, as passed to codecs. */
export interface DecodingOptions {
  baseUrl?: string;
  contentType?: string;
  /** Integers beyond 2^53 become BigInt. */
  bigint?: boolean;
}

/** Decodes the bytes of one format to a document or data, and encodes them. */
export interface Codec {
  /** A short name for people, such as "corejson". */
  readonly format: string;
  /** All media types that it reads, the preferred first; wildcards such as "text/*" are allowed. */
  readonly mediaTypes: readonly string[];
  /** Whether it reads documents, as opposed to plain data. */
  readonly readsDocuments: boolean;
  decode(content: Uint8Array | string, options?: DecodingOptions): unknown;
  encode?(document: unknown, options?: { indent?: boolean }): string;
  /** Whether plain JSON data is a description in this format, for servers that send no specific type. */
  recognizes?(data: unknown): boolean;
  /** Read a description from parsed data. */
  fromData?(data: unknown, options?: DecodingOptions): unknown;
}

import type { ActionOptions, Client, Document, StreamEvent, StreamOptions } from "lintel-client";

export type Order = { id?: number; items: string[]; note?: string | null; parent?: Order; prices?: Record<string, number>; who?: string | PersonShort & { vip?: boolean } };

export type PersonShort = { name: string };

/** The operations of Shop. */
export interface ApiClient extends Omit<Client, "action" | "stream"> {
  /** All orders */
  action(document: Document, keys: readonly ["orders", "list"], params?: { status?: "open" | "done"; "page-size"?: number }, options?: ActionOptions): Promise<Order[]>;
  /** @deprecated */
  action(document: Document, keys: readonly ["orders", "create"], params: { items: string[]; note?: string | null; parent?: Order; prices?: Record<string, number>; who?: string | PersonShort & { vip?: boolean } } | { body: Order }, options?: ActionOptions): Promise<Order>;
  action(document: Document, keys: readonly ["orders", "destroy"], params: { id: number }, options?: ActionOptions): Promise<null>;
  action(document: Document, keys: readonly ["orders", "picture"], params: { id: number; body?: Blob | ArrayBuffer | ArrayBufferView }, options?: ActionOptions): Promise<any>;
  action(document: Document, keys: readonly ["orders", "log"], params?: { since?: string }, options?: ActionOptions): Promise<any>;
  action(document: Document, keys: readonly ["orders", "lines"], params?: Record<string, never>, options?: ActionOptions): Promise<any>;
  action(document: Document, keys: readonly ["orders", "export"], params?: Record<string, never>, options?: ActionOptions): Promise<any>;
  /** Says *\/ pong. */
  action(document: Document, keys: readonly ["ping"], params?: Record<string, never>, options?: ActionOptions): Promise<"pong">;
  stream(document: Document, keys: readonly ["orders", "log"], params?: { since?: string }, options?: StreamOptions): AsyncGenerator<StreamEvent<Order>, void, void>;
  stream(document: Document, keys: readonly ["orders", "lines"], params?: Record<string, never>, options?: StreamOptions): AsyncGenerator<StreamEvent<string>, void, void>;
  stream(document: Document, keys: readonly ["orders", "export"], params?: Record<string, never>, options?: StreamOptions): AsyncGenerator<PersonShort, void, void>;
}

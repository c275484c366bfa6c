import { LintelError } from "./errors.js";
import { withoutQuery } from "./urls.js";

/** The progress of a transfer in bytes; `total` is null if unknown. */
export interface Progress {
  readonly loaded: number;
  readonly total: number | null;
}

export type OnProgress = (progress: Progress) => void;

/** Return the body of a response as a stream that reports its progress. */
export function observed(response: Response, onProgress?: OnProgress): ReadableStream<Uint8Array> | null {
  if (!response.body || !onProgress) return response.body;
  const length = response.headers.get("Content-Encoding") ? null : response.headers.get("Content-Length");
  return response.body.pipeThrough(counter(length ? Number(length) : null, onProgress));
}

/** Return a stream that counts and reports the bytes passing through. */
export function counter(total: number | null, onProgress: OnProgress): TransformStream<Uint8Array, Uint8Array> {
  let loaded = 0;
  return new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      onProgress({ loaded, total });
      controller.enqueue(chunk);
    },
  });
}

/** Return a whole body. Throws a LintelError with the code "network" beyond `limit` bytes. */
export async function readAll(body: ReadableStream<Uint8Array> | null, limit: number, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw new LintelError("network", `The response from ${withoutQuery(url)} is larger than ${limit} bytes`);
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
  return chunks.length === 1 ? chunks[0]! : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

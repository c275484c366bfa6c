import { LintelError } from "./errors.js";

/** Return a LintelError for an error thrown by fetch, a stream or a signal. */
export function failure(cause: unknown, what: string, signal?: AbortSignal | null): LintelError {
  if (cause instanceof LintelError) return cause;
  const name = (cause as { name?: unknown } | null)?.name;
  if (name === "TimeoutError") return new LintelError("timeout", `${what}: timed out`, { cause });
  if (name === "AbortError" || signal?.aborted) return new LintelError("aborted", "The call was aborted", { cause });
  return new LintelError("network", `${what}: ${reason(cause)}`, { cause });
}

/** Return the reason that fetch hides: Node says "fetch failed" and gives the reason as the cause. */
function reason(error: unknown): string {
  const inner = (error as { cause?: { message?: string; code?: string } } | null)?.cause;
  return inner?.message || inner?.code || (error instanceof Error ? error.message : String(error));
}

import { LintelError, secondsToWait } from "./errors.js";
import type { OutgoingRequest } from "./request/building.js";

const IDEMPOTENT = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"];

export interface Retry {
  /** The most repetitions of a request. */
  total: number;
  /** Seconds to wait before the first repetition; each further one waits twice as long. */
  backoff?: number;
  /** Statuses that cause a repetition. */
  statuses?: readonly number[];
  /** The longest wait in seconds before a repetition, whatever the server asks for. */
  longest?: number;
}

/**
 * Send a request, and again if no response came or its status asks the client to wait.
 *
 * Only idempotent methods are repeated (RFC 9110, 9.2.2), and others that carry an Idempotency-Key.
 */
export async function withRetries(
  request: OutgoingRequest,
  retry: Retry,
  send: () => Promise<Response>,
  signal?: AbortSignal,
): Promise<Response> {
  const mayRepeat = IDEMPOTENT.includes(request.method) || request.headers.has("Idempotency-Key");
  for (let sent = 0; ; sent++) {
    const isLast = !mayRepeat || sent >= retry.total;
    const outcome = await send().catch((error: unknown) => {
      if (isLast || !isTemporary(error)) throw error;
      return null;
    });
    const seconds = waitingTime(outcome, retry, sent);
    if (outcome && (isLast || seconds === null)) return outcome;
    await outcome?.body?.cancel();
    await pause(seconds ?? 0, signal);
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof LintelError && (error.code === "network" || error.code === "timeout");
}

/** Return the seconds to wait before a repetition; null if there should be none. */
function waitingTime(response: Response | null, retry: Retry, sent: number): number | null {
  const { backoff = 0.5, statuses = [429, 502, 503, 504], longest = 60 } = retry;
  if (response && !statuses.includes(response.status)) return null;
  const asked = secondsToWait(response?.headers.get("Retry-After") ?? null);
  if (asked !== null) return asked > longest ? null : asked;
  return Math.min(longest, backoff * 2 ** sent * (0.5 + Math.random() / 2));
}

/** Wait some seconds. Rejects with a LintelError ("aborted") when the signal is aborted. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new LintelError("aborted", "The call was aborted", { cause: signal?.reason }));
    if (signal?.aborted) return abort();
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), seconds * 1000);
    const stop = (): void => (clearTimeout(timer), abort());
    signal?.addEventListener("abort", stop, { once: true });
  });
}

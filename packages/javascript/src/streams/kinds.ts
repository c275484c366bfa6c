export type StreamFormat = "sse" | "ndjson" | "json-seq";

const LINES = /^application\/((x-)?(ndjson|jsonl|jsonlines))$|\+(ndjson|jsonl)$/;
const SEQUENCE = /[/+]json-seq$/;

/** Return the format of a stream by its media type; undefined for all others. */
export function formatOf(type: string): StreamFormat | undefined {
  if (type === "text/event-stream") return "sse";
  return LINES.test(type) ? "ndjson" : SEQUENCE.test(type) ? "json-seq" : undefined;
}

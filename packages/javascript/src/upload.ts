import type { OutgoingRequest } from "./request/building.js";
import type { SendingOptions } from "./transports.js";

/** Send with XMLHttpRequest, the only API in browsers that reports the progress of uploads. */
export function sendWithProgress(request: OutgoingRequest, { signal, onUploadProgress }: SendingOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const fail = (): void => reject(signal?.aborted ? signal.reason : new TypeError("no response"));
    xhr.open(request.method, request.url);
    xhr.responseType = "blob";
    xhr.withCredentials = request.credentials === "include";
    request.headers.forEach((value, name) => xhr.setRequestHeader(name, value));
    xhr.upload.onprogress = ({ loaded, total }) => onUploadProgress?.({ loaded, total });
    xhr.onload = () => resolve(answerOf(xhr));
    xhr.onerror = xhr.onabort = fail;
    signal?.addEventListener("abort", () => xhr.abort());
    xhr.send(request.body);
  });
}

function answerOf(xhr: XMLHttpRequest): Response {
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n").filter(Boolean);
  const headers = lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  const body = [204, 205, 304].includes(xhr.status) ? null : (xhr.response as Blob);
  return new Response(body, { status: xhr.status, statusText: xhr.statusText, headers });
}

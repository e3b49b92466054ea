import { type Connection, ownFetch } from "../connection.ts";

/**
 * A `fetch` for uploads that reports the sent fraction of the body (0 to 1), which browsers report only for
 * XMLHttpRequest. Without XMLHttpRequest or with a custom `fetch` it is the connection's.
 */
export function xhrFetch(conn: Connection, onProgress: (fraction: number) => void): typeof fetch {
  if (typeof XMLHttpRequest === "undefined" || conn.fetch !== ownFetch) return conn.fetch;
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal, method = "GET", body } = init;
      if (signal?.aborted) return reject(signal.reason);
      const xhr = new XMLHttpRequest();
      xhr.open(method, String(input));
      for (const [name, value] of new Headers(init.headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ lengthComputable, loaded, total }) => {
        if (lengthComputable) onProgress(loaded / total);
      };
      const abort = (): void => xhr.abort();
      signal?.addEventListener("abort", abort, { once: true });
      xhr.onloadend = () => {
        signal?.removeEventListener("abort", abort);
        if (signal?.aborted) reject(signal.reason);
        else if (xhr.status === 0) reject(new TypeError("The server could not be reached"));
        else resolve(new Response(xhr.responseText || null, { status: xhr.status, headers: headersOf(xhr) }));
      };
      xhr.send(typeof body === "string" || body instanceof Blob ? body : null);
    });
}

function headersOf(xhr: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
    const at = line.indexOf(":");
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

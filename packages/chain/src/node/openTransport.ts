import { HttpTransport } from "./httpTransport.ts";
import { SocketTransport } from "./socketTransport.ts";
import type { Transport } from "./transport.ts";

/** Selects the transport by the URL's scheme: http(s) or ws(s). `maxBytes` limits the size of all responses. */
export function openTransport(url: string, maxBytes: number): Transport {
  return /^wss?:/.test(url) ? new SocketTransport(url, maxBytes) : new HttpTransport(url);
}

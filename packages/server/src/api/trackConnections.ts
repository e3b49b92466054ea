import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey, normalizeAddress } from "../core/http/address.ts";
import { unsentChunksOf } from "../core/http/chunkedReply.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { UnsentBytes } from "../core/limits/unsentBytes.ts";

/**
 * Counts what each connection has not sent yet: responses, streams, and messages of WebSockets. Returns a function that has
 * to be called with each request.
 */
export function trackConnections(
  server: Server,
  unsent: UnsentBytes,
  clientAddressOf: ClientAddressOf,
): (message: IncomingMessage) => void {
  server.on("connection", (socket: Socket) => {
    const entry = unsent.open(
      {
        unsentBytes: () => socket.writableLength + unsentChunksOf(socket),
        end: () => socket.destroy(),
      },
      addressKey(normalizeAddress(socket.remoteAddress ?? "") ?? ""),
      socket,
    );
    socket.once("close", entry.close);
  });
  // One proxy sends the requests of many clients.
  const setAddress = (message: IncomingMessage): void => {
    if (message.headers["x-forwarded-for"] === undefined) return;
    unsent.entryOf(message.socket)?.setAddress(addressKey(clientAddressOf(message)));
  };
  server.on("upgrade", setAddress);
  return setAddress;
}

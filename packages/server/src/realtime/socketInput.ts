import type { Duplex } from "node:stream";
import { TimeSlicer } from "../core/limits/timeSlicer.ts";

/** What arrives is parsed in parts of this size, in bytes: a frame may have as few as six. */
const PART_BYTES = 16 * 1024;
/** How much a client may send after the server has decided to close its socket, in bytes, before it is cut off. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Stands between a connection and its WebSocket: passes on what arrives in parts, between which other requests are served,
 * and nothing anymore once the socket is being closed. Then the connection ends after the close frame, whether or not
 * the client answers it.
 */
export function limitInput(
  socket: { readonly readyState: number; readonly OPEN: number },
  connection: Duplex,
  address: string,
): void {
  const receivers = connection.listeners("data");
  connection.removeAllListeners("data");
  const waiting: Buffer[] = [];
  let isDelivering = false;
  let discardedBytes = 0;

  connection.on("data", (chunk: Buffer) => {
    if (socket.readyState !== socket.OPEN) return discard(chunk.length);
    waiting.push(chunk);
    if (isDelivering) connection.pause();
    else void deliver();
  });

  async function deliver(): Promise<void> {
    isDelivering = true;
    const slicer = new TimeSlicer(address);
    for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
      for (let start = 0; start < chunk.length; start += PART_BYTES) {
        if (slicer.isExpired) {
          connection.pause();
          await slicer.pause();
        }
        if (socket.readyState !== socket.OPEN) {
          discard(chunk.length - start);
          break;
        }
        const part = chunk.subarray(start, start + PART_BYTES);
        for (const receive of receivers) Reflect.apply(receive, connection, [part]);
      }
    }
    isDelivering = false;
    connection.resume();
  }

  function discard(bytes: number): void {
    discardedBytes += bytes;
    if (discardedBytes > MAX_DISCARDED_BYTES) connection.destroy();
    else if (!connection.writableEnded) connection.end();
  }
}

import type { IncomingMessage } from "node:http";

/** Chunks of a body whose size does not matter. */
const FREE_CHUNKS = 1_000;
/** What the chunks of a body with more of them must have on average, in bytes. */
const MIN_AVERAGE_BYTES = 64;

/**
 * Closes the connection of a request whose body comes in very many very small chunks. One packet contains ten thousand of
 * them, each of which costs as much time and memory as one of the usual size, whether or not the body is read.
 */
export function refuseSmallChunks(request: IncomingMessage): void {
  // Without chunks, there are as many pieces as packets.
  if (request.headers["transfer-encoding"] === undefined) return;
  let chunks = 0;
  let bytes = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(chunk, encoding);
    // Node.js parses the rest of a packet although the connection has been closed.
    if (request.socket.destroyed) return false;
    chunks += 1;
    bytes += chunk.length;
    if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_AVERAGE_BYTES) return push(chunk, encoding);
    request.socket.destroy();
    return false;
  };
}

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { closeConnection } from "./connectionInput.ts";

/** Chunks whose size does not matter. */
const FREE_CHUNKS = 250;
/** What they must have on average if there are more of them, in bytes. */
const MIN_AVERAGE_BYTES = 32;

/**
 * Closes a connection whose bodies come in very many very small chunks. One packet contains ten thousand of them, each of which
 * costs as much time and memory as one of the usual size, whether or not the body is read.
 */
export class SmallChunks {
  readonly #socket: Socket;
  #chunks = 0;
  #bytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Counts the chunks of a request. */
  watch(request: IncomingMessage): void {
    // Without chunks, there are as many pieces as packets.
    if (request.headers["transfer-encoding"] === undefined) return;
    const push = request.push.bind(request);
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk === null) return push(chunk, encoding);
      if (this.#socket.destroyed) {
        closeConnection(this.#socket);
        return false;
      }
      this.#chunks += 1;
      this.#bytes += chunk.length;
      if (this.#chunks <= FREE_CHUNKS || this.#bytes >= this.#chunks * MIN_AVERAGE_BYTES)
        return push(chunk, encoding);
      closeConnection(this.#socket);
      return false;
    };
  }
}

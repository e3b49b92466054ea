import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressKey, normalizeAddress } from "../core/http/address.ts";
import { ownTurn } from "../core/limits/timeSlicer.ts";

/** Requests of a connection that may wait for the one before them. Clients that pipeline send a few. */
const MAX_WAITING = 100;

/**
 * Returns a handler that handles the requests of a connection one after the other, each in a turn of the event loop of its
 * own. Node.js would begin all requests of a packet, of which there may be thousands, in the same turn. A connection on which
 * too many requests wait is closed.
 */
export function inTurn(handle: RequestListener): RequestListener {
  /** What waits on each connection that has an open request. */
  const connections = new WeakMap<Socket, (() => void)[]>();

  function start(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.once("close", () => {
      if (connections.get(socket)?.length === 0) connections.delete(socket);
      else void startNext(socket);
    });
    handle(request, response);
  }

  async function startNext(socket: Socket): Promise<void> {
    await ownTurn(addressKey(normalizeAddress(socket.remoteAddress ?? "") ?? ""));
    const next = socket.destroyed ? undefined : connections.get(socket)?.shift();
    if (next) next();
    else connections.delete(socket);
  }

  return (request, response) => {
    const { socket } = request;
    // Node.js parses the rest of a packet although the connection has been closed.
    if (socket.destroyed) return;
    const waiting = connections.get(socket);
    if (!waiting) {
      connections.set(socket, []);
      start(socket, request, response);
    } else if (waiting.length < MAX_WAITING) {
      // It does not belong to the request before it.
      waiting.push(AsyncResource.bind(() => start(socket, request, response)));
    } else {
      connections.delete(socket);
      socket.destroy();
    }
  };
}

import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { addressKey } from "../core/http/address.ts";
import { hasBody } from "../core/http/body.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { EventLoopBudget } from "../core/limits/eventLoopBudget.ts";
import { createConnectionAges } from "./connectionAges.ts";
import { closeConnection } from "./connectionInput.ts";
import { SmallChunks } from "./smallChunks.ts";

/** Requests of a connection that may wait for the one before them. Clients that pipeline send a few. */
const MAX_WAITING = 100;
/** Those of all connections of an address. */
const MAX_WAITING_OF_ADDRESS = 1_000;

interface WaitingRequest {
  address: string;
  start(): void;
}

interface Connection {
  /** What waits for the open request; undefined until something does. */
  waiting: WaitingRequest[] | undefined;
  /** Those of all bodies that have not been answered. */
  chunks: SmallChunks;
}

/**
 * Begins requests in turns of the event loop: Node.js would begin all that have arrived in the same turn, of which there may be
 * thousands, in one packet or from many connections. Clients are served in turn, and the requests of a connection one after the
 * other. Behind one address may be many people: the connections that somebody opens at once take turns there with those from
 * before and after. A body that arrives later ends in a turn as well, since the work of its request begins then.
 */
export class RequestTurns {
  readonly #clientAddressOf: ClientAddressOf;
  readonly #budget = new EventLoopBudget();
  /** Connections with an open request. */
  readonly #connections = new WeakMap<Socket, Connection>();
  /** How many requests wait on the connections of an address. */
  readonly #waitingOf = new Map<string, number>();
  readonly #ageOf: (socket: Socket) => number;

  constructor(clientAddressOf: ClientAddressOf, ageOf = createConnectionAges()) {
    this.#clientAddressOf = clientAddressOf;
    this.#ageOf = ageOf;
  }

  /**
   * Returns a handler that passes each request on in its turn. A connection on which too many requests wait, or whose bodies
   * have too many small chunks, is closed.
   */
  requests(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      if (socket.destroyed) {
        request.push = () => false;
        closeConnection(socket);
        return;
      }
      const open = this.#connections.get(socket);
      const connection = open ?? { waiting: undefined, chunks: new SmallChunks(socket) };
      connection.chunks.watch(request);
      const start = () => this.#start(handle, request, response, connection);
      if (!open) {
        this.#connections.set(socket, connection);
        this.#inTurn(request, start);
      } else {
        // It does not belong to the request before it.
        const begin = AsyncResource.bind(() => this.#inTurn(request, start));
        if (!this.#wait(connection, request, begin)) closeConnection(socket);
      }
    };
  }

  /** Calls `open` for a connection that becomes a socket, unless it has been closed before its turn. */
  upgrade(request: IncomingMessage, socket: Duplex, open: () => void): void {
    // Node.js does not listen any more.
    socket.on("error", () => socket.destroy());
    this.#inTurn(request, () => {
      if (!socket.destroyed) open();
    });
  }

  #start(
    handle: RequestListener,
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ): void {
    const { socket } = request;
    if (socket.destroyed) return;
    response.once("close", () => {
      const next = socket.destroyed ? undefined : connection.waiting?.shift();
      if (next) {
        this.#count(next.address, -1);
        next.start();
      } else {
        this.#connections.delete(socket);
      }
    });
    handle(request, response);
    // Node.js reads the rest of a packet before that.
    if (hasBody(request))
      queueMicrotask(() => {
        if (!request.complete) this.#endInTurn(request);
      });
  }

  /** Returns false if too many wait already. */
  #wait(connection: Connection, request: IncomingMessage, start: () => void): boolean {
    const address = this.#addressOf(request);
    if (!connection.waiting) {
      const waiting: WaitingRequest[] = [];
      connection.waiting = waiting;
      request.socket.once("close", () => {
        for (const each of waiting.splice(0)) this.#count(each.address, -1);
      });
    }
    if (connection.waiting.length >= MAX_WAITING) return false;
    if ((this.#waitingOf.get(address) ?? 0) >= MAX_WAITING_OF_ADDRESS) return false;
    this.#count(address, 1);
    connection.waiting.push({ address, start });
    return true;
  }

  #count(address: string, change: 1 | -1): void {
    const count = (this.#waitingOf.get(address) ?? 0) + change;
    if (count > 0) this.#waitingOf.set(address, count);
    else this.#waitingOf.delete(address);
  }

  #addressOf(request: IncomingMessage): string {
    return addressKey(this.#clientAddressOf(request));
  }

  #endInTurn(request: IncomingMessage): void {
    const push = request.push.bind(request);
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk !== null) return push(chunk, encoding);
      this.#inTurn(request, () => push(null));
      return false;
    };
  }

  #inTurn(request: IncomingMessage, start: () => void): void {
    const owner = { key: this.#addressOf(request), part: this.#ageOf(request.socket) };
    const turn = this.#budget.acquire(1, owner);
    if (turn) void turn.then(start);
    else start();
  }
}

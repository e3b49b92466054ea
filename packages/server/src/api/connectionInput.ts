import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { addressKey } from "../core/http/address.ts";
import { type Owner, RoundRobin } from "../core/limits/roundRobin.ts";
import { createConnectionAges } from "./connectionAges.ts";

/** How long the input of all connections may be parsed in one turn of the event loop, in ms. */
const TURN_MS = 10;

/** Of servers that parse in turns. */
const inputs = new WeakMap<Duplex, ConnectionInput>();
/** Thrown through the parser of Node.js, which goes on to the end of a packet otherwise. */
const STOP = new Error("The connection has been closed");

/**
 * Has what arrives by the connections of a server parsed in turns of the event loop: Node.js would parse in one go what has
 * arrived by all of them. Addresses are served in turn.
 */
export function parseInTurns(server: Server): void {
  const turns = new ParsingTurns();
  const ageOf = createConnectionAges();
  server.on("connection", (socket: Socket) => {
    const owner = () => ({ key: addressKey(socket.remoteAddress ?? ""), part: ageOf(socket) });
    inputs.set(socket, new ConnectionInput(socket, turns, owner));
  });
  server.on("upgrade", (_message: IncomingMessage, socket: Duplex) => inputs.get(socket)?.release());
}

/**
 * Closes a connection. Called with a request or a piece of a body, it does not return: nothing else that has arrived is
 * parsed, which may be thousands of requests. (It returns if the server does not parse in turns.)
 */
export function closeConnection(socket: Socket): void {
  socket.destroy();
  if (inputs.has(socket)) throw STOP;
}

/** How much has been parsed in this turn of the event loop, and what waits for the next one. */
class ParsingTurns {
  readonly #waiting = new RoundRobin<() => void>();
  #spentMs = 0;
  #isScheduled = false;

  get isUsedUp(): boolean {
    return this.#spentMs >= TURN_MS;
  }

  spend(parse: () => void): void {
    const startedAt = performance.now();
    parse();
    this.#spentMs += performance.now() - startedAt;
    this.#schedule();
  }

  wait(parse: () => void, owner: Owner): void {
    this.#waiting.add(parse, owner);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      while (!this.isUsedUp && !this.#waiting.isEmpty) this.#waiting.take()?.();
      if (!this.#waiting.isEmpty) this.#schedule();
    });
  }
}

/** What has arrived by a connection and has not been parsed; as long as there is any, no more is read. */
class ConnectionInput {
  readonly #socket: Socket;
  readonly #turns: ParsingTurns;
  readonly #owner: () => Owner;
  readonly #parsers: ReturnType<Socket["listeners"]>;
  #chunks: Buffer[] = [];
  #isParsing = false;
  #isWaiting = false;
  /** By Node.js, while a body or responses have to be read. */
  #isStopped = false;

  constructor(socket: Socket, turns: ParsingTurns, owner: () => Owner) {
    this.#socket = socket;
    this.#turns = turns;
    this.#owner = owner;
    this.#parsers = socket.listeners("data");
    socket.removeAllListeners("data");
    // Without such a listener, Node.js does not read the connection as a stream.
    socket.on("data", this.#receive);
    socket.pause = () => {
      this.#isStopped = true;
      return this.#pause();
    };
    socket.resume = () => {
      this.#isStopped = false;
      if (this.#chunks.length === 0) return this.#resume();
      this.#parse();
      return socket;
    };
  }

  /** Leaves the connection to others, with what has not been parsed. */
  release(): void {
    const socket = this.#socket;
    const rest = this.#chunks;
    this.#chunks = [];
    socket.off("data", this.#receive);
    Reflect.deleteProperty(socket, "pause");
    Reflect.deleteProperty(socket, "resume");
    if (rest.length > 0) socket.unshift(Buffer.concat(rest));
    this.#isStopped = true;
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#parse();
  };

  #parse(): void {
    if (this.#isParsing || this.#isWaiting) return;
    this.#isParsing = true;
    while (this.#chunks.length > 0 && !this.#isStopped && !this.#isWaiting) {
      if (this.#socket.destroyed) this.#chunks = [];
      else if (this.#turns.isUsedUp) this.#waitForTurn();
      else this.#turns.spend(() => this.#parseChunk());
    }
    this.#isParsing = false;
    if (this.#chunks.length === 0 && !this.#isStopped) this.#resume();
  }

  #parseChunk(): void {
    const chunk = this.#chunks.shift();
    try {
      for (const parse of this.#parsers) Reflect.apply(parse, this.#socket, [chunk]);
    } catch (error) {
      if (error !== STOP) throw error;
    }
  }

  #waitForTurn(): void {
    this.#isWaiting = true;
    this.#pause();
    this.#turns.wait(() => {
      this.#isWaiting = false;
      this.#parse();
    }, this.#owner());
  }

  #pause(): Socket {
    return Socket.prototype.pause.call(this.#socket);
  }

  #resume(): Socket {
    return Socket.prototype.resume.call(this.#socket);
  }
}

import { EventEmitter } from "node:events";
import type { JsonObject } from "@purse/protocol";
import type { RawData } from "ws";

/** What a client of live queries needs of its socket; a WebSocket of `ws` has it. */
export interface LiveSocket {
  readonly readyState: number;
  readonly OPEN: number;
  readonly bufferedAmount: number;
  on(event: "message", listener: (data: RawData, isBinary: boolean) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "ping" | "pong" | "close", listener: () => void): unknown;
  send(text: string): void;
  /** Sends a part of a message. */
  send(data: string | Buffer, part: MessagePart): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

interface MessagePart {
  /** Whether it is the last part. */
  fin: boolean;
  binary: boolean;
}

export interface InProcessSocketOptions {
  /** Called with every message for the client, and its length in bytes. */
  onMessage(message: JsonObject, bytes: number): void;
  /** What the client has not received yet, in bytes. */
  bufferedBytes(): number;
  /** What is kept inside of the process until it has been processed, in bytes. */
  heldBytes(): number;
  /** Asks the client for a sign of life, which `pong` passes on. */
  onPing(): void;
  /** Called once, with a code of WebSockets. */
  onClose(code: number, reason: string): void;
}

/** The code of a connection that ended without a close frame. */
export const CLOSE_ABNORMAL = 1006;

/** The socket of a client inside of the process, such as an API that has another protocol on the network. */
export class InProcessSocket extends EventEmitter implements LiveSocket {
  readonly OPEN = 1;
  readonly #options: InProcessSocketOptions;
  #isOpen = true;
  /** The parts of a message so far. */
  #started = "";

  constructor(options: InProcessSocketOptions) {
    super();
    this.#options = options;
  }

  get readyState(): number {
    return this.#isOpen ? this.OPEN : 3;
  }

  get bufferedAmount(): number {
    return this.#options.bufferedBytes();
  }

  get heldBytes(): number {
    return this.#options.heldBytes();
  }

  /** Passes a message of the client to the server. */
  receive(message: JsonObject): void {
    if (this.#isOpen) this.emit("message", Buffer.from(JSON.stringify(message)), false);
  }

  send(data: string | Buffer, { fin }: Pick<MessagePart, "fin"> = { fin: true }): void {
    this.#started += data.toString();
    if (!fin) return;
    const text = this.#started;
    this.#started = "";
    this.#options.onMessage(JSON.parse(text), text.length);
  }

  ping(): void {
    this.#options.onPing();
  }

  pong(): void {
    this.emit("pong");
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.emit("close");
    this.#options.onClose(code, reason);
  }

  terminate(): void {
    this.close(CLOSE_ABNORMAL, "");
  }
}

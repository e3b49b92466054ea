import type { EventLoopBudget } from "../core/limits/eventLoopBudget.ts";
import { ownTurn } from "../core/limits/timeSlicer.ts";
import { messageCost, TokenBucket } from "../core/limits/tokenBucket.ts";
import type { UnsentEntry } from "../core/limits/unsentBytes.ts";
import type { Logger } from "../core/logger.ts";
import type { LiveSocket } from "./liveSocket.ts";
import type { SharedText } from "./sharedText.ts";
import { CLOSE_TRY_AGAIN } from "./temporaryErrors.ts";

export interface SocketLimits {
  /** Bytes that may be buffered for a slow reader before it is disconnected. */
  maxBufferedBytes: number;
  /** Messages that a socket may send at once, and then per second; long ones count as several. */
  messageBurst: number;
  messagesPerSecond: number;
}

export interface SocketGuardOptions {
  socket: Pick<LiveSocket, "readyState" | "OPEN" | "bufferedAmount" | "on" | "send" | "close" | "terminate">;
  limits: SocketLimits;
  /** Limits the messages of all sockets of the client's address together. */
  addressRateLimiter: TokenBucket;
  /** Counts what the socket has not read yet. */
  unsent: UnsentEntry;
  /** Limits how much work messages of all sockets may cause in one turn of the event loop. */
  loopBudget: EventLoopBudget;
  now(): number;
  logger: Logger;
}

/** Parsing a message of this length may take as long as all divided work of a turn. */
const LARGE_CHARS = 32 * 1024;
/** Shorter ends of messages are copied, so that each message is one frame. */
const MIN_SHARED_CHARS = 16 * 1024;
export const CLOSE_POLICY_VIOLATION = 1008;
/** How long a disconnected reader may take to receive the close frame, in ms. */
const CLOSE_GRACE_MS = 1_000;

/** The limits of one socket, whatever its protocol: of the messages and pings that it sends, and of what it has not read. */
export class SocketGuard {
  readonly #options: SocketGuardOptions;
  readonly #rateLimiter: TokenBucket;

  constructor(options: SocketGuardOptions) {
    this.#options = options;
    const { messageBurst: burst, messagesPerSecond: perSecond } = options.limits;
    this.#rateLimiter = new TokenBucket({ burst, perSecond }, options.now());
    // They are answered, whether or not the answers are read; answers to none may come as often.
    for (const event of ["ping", "pong"] as const) options.socket.on(event, () => this.admit(0));
    options.socket.on("close", () => options.unsent.close());
  }

  /** Counts a message of the client. Closes the socket and returns false if it has sent too many. */
  admit(chars: number): boolean {
    const cost = messageCost(chars);
    const now = this.#options.now();
    if (this.#rateLimiter.consume(cost, now) && this.#options.addressRateLimiter.consume(cost, now))
      return true;
    this.#options.socket.close(CLOSE_POLICY_VIOLATION, "too many messages");
    return false;
  }

  /** Resolves when a message of the client may be processed; undefined if it may be processed now. */
  turn(chars: number): Promise<void> | undefined {
    const { loopBudget, unsent } = this.#options;
    const acquired = loopBudget.acquire(messageCost(chars));
    if (chars < LARGE_CHARS) return acquired;
    return (acquired ?? Promise.resolve()).then(() => ownTurn(unsent.address));
  }

  /** Sends a message; disconnects a client that reads too slowly. */
  send(text: string): void {
    if (!this.#canSend()) return;
    this.#options.socket.send(text);
    this.#options.unsent.update();
  }

  /** Like `send`, for a message with an end that is the same for many clients, which share its bytes. */
  sendEvent(head: string, tail: SharedText): void {
    if (tail.text.length < MIN_SHARED_CHARS) {
      this.send(head + tail.text);
      return;
    }
    if (!this.#canSend()) return;
    const { socket, unsent } = this.#options;
    socket.send(head, { fin: false, binary: false });
    socket.send(tail.bytes, { fin: true, binary: false });
    unsent.update();
  }

  #canSend(): boolean {
    const { socket, limits, logger } = this.#options;
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount <= limits.maxBufferedBytes) return true;
    logger.warn("disconnected a client that reads its events too slowly");
    socket.close(CLOSE_TRY_AGAIN, "reads too slowly");
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
    return false;
  }
}

import { isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { InProcessSocket, type LiveQueryServer } from "../../realtime/index.ts";
import type { LiveEvent } from "./context.ts";
import { EventQueue, type QueueSizes } from "./eventQueue.ts";

export interface LiveEventsOptions {
  live: Pick<LiveQueryServer, "open">;
  ip: string;
  /** What the connection has not sent yet, in bytes. */
  bufferedBytes(): number;
  /** Asks the client for a sign of life. */
  onPing(): void;
  /** Called when live queries close the connection, such as for a slow reader. */
  onClose(code: number, reason: string): void;
}

interface Subscription {
  queue: EventQueue<LiveEvent>;
  started: PromiseWithResolvers<void>;
}

const EVENTS: ReadonlySet<unknown> = new Set(["create", "enter", "update", "leave", "delete"]);

/** The live queries of one GraphQL connection: permissions, limits and triggers are those of live queries. */
export class LiveEvents {
  readonly #socket: InProcessSocket;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #sizes: QueueSizes = { bytes: 0, heldBytes: 0 };
  #lastId = 0;

  constructor({ live, ip, bufferedBytes, onPing, onClose }: LiveEventsOptions) {
    this.#socket = new InProcessSocket({
      onMessage: (message, bytes) => this.#receive(message, bytes),
      bufferedBytes: () => this.#sizes.bytes + bufferedBytes(),
      heldBytes: () => this.#sizes.heldBytes,
      onPing,
      onClose: (code, reason) => {
        for (const { queue, started } of this.#subscriptions.values()) {
          started.reject(new ProtocolError(100, reason));
          // The connection is closed at once, so what is left cannot be sent.
          queue.drop();
          queue.end();
        }
        onClose(code, reason);
      },
    });
    live.open(this.#socket, ip);
  }

  /** Connects with the credentials of the client, as it would send them to live queries. */
  connect(credentials: JsonObject): void {
    this.#socket.receive({ op: "connect", ...credentials });
  }

  /** The client has given a sign of life. */
  pong(): void {
    this.#socket.pong();
  }

  /** Subscribes to a query; its events end with the subscription or the connection. Rejects with ProtocolError. */
  async subscribe(className: string, where: JsonObject): Promise<AsyncGenerator<LiveEvent>> {
    this.#lastId += 1;
    const requestId = this.#lastId;
    const queue = new EventQueue<LiveEvent>(() => {
      if (this.#subscriptions.delete(requestId)) this.#socket.receive({ op: "unsubscribe", requestId });
    }, this.#sizes);
    const started = Promise.withResolvers<void>();
    this.#subscriptions.set(requestId, { queue, started });
    this.#socket.receive({ op: "subscribe", requestId, query: { className, where } });
    try {
      await started.promise;
      return queue;
    } catch (error) {
      this.#subscriptions.delete(requestId);
      queue.drop();
      throw error;
    }
  }

  close(): void {
    this.#socket.close(1000, "");
  }

  #receive({ op, requestId, object, original, code, error }: JsonObject, bytes: number): void {
    const subscription = typeof requestId === "number" ? this.#subscriptions.get(requestId) : undefined;
    if (!subscription) return;
    const { queue, started } = subscription;
    if (op === "subscribed") started.resolve();
    else if (op === "error") {
      const reason = new ProtocolError(Number(code), String(error));
      started.reject(reason);
      // The session has ended, for example.
      queue.end(reason);
    } else if (isEvent(op) && isJsonObject(object)) {
      queue.push({ event: op, object, ...(isJsonObject(original) && { original }) }, bytes);
    }
  }
}

function isEvent(op: unknown): op is LiveEvent["event"] {
  return EVENTS.has(op);
}

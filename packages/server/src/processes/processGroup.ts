import cluster from "node:cluster";
import { type ProcessMessage, type ProcessMetrics, type StopMode, SUPERVISOR_MESSAGE } from "./messages.ts";

/** The processes that serve one port together, as one of them sees them. */
export interface ProcessGroup {
  /** The number of this process, counted from 1 since the supervisor started. */
  readonly number: number;
  /** Reports that this process has started. */
  reportReady(url: string): void;
  /** Calls the listener when the supervisor stops this process. */
  onStop(listener: (how: StopMode) => void): void;
  /** Reports the metrics of this process for the last time. */
  reportLastMetrics(): Promise<void>;
  /** Registers how the metrics of this process are read. Returns a function that reads those of all processes. */
  shareMetrics(read: () => Promise<ProcessMetrics>): () => Promise<ProcessMetrics[]>;
}

/** How long to wait for the supervisor's response, in ms. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** Joins the processes of a supervisor; returns undefined in a process that has none. */
export function joinProcessGroup(): ProcessGroup | undefined {
  const { worker } = cluster;
  if (!cluster.isWorker || !worker) return undefined;
  const pending = new Map<number, (metrics: ProcessMetrics[]) => void>();
  const stopListeners: ((how: StopMode) => void)[] = [];
  let lastId = 0;
  let readMetrics: () => Promise<ProcessMetrics> = async () => [];
  const send = (message: ProcessMessage) => {
    if (worker.isConnected()) worker.send(message);
  };

  worker.on("message", (received: unknown) => {
    const { data: message } = SUPERVISOR_MESSAGE.safeParse(received);
    if (message?.kind === "stop") for (const listener of stopListeners) listener(message.how);
    if (message?.kind === "ping") send({ kind: "pong" });
    if (message?.kind === "metricsResponse") pending.get(message.id)?.(message.metrics);
    if (message?.kind === "collectMetrics") {
      // The supervisor does without those that cannot be read.
      readMetrics().then(
        (metrics) => send({ kind: "metrics", id: message.id, metrics }),
        () => undefined,
      );
    }
  });

  return {
    number: worker.id,
    reportReady: (url) => send({ kind: "ready", url }),
    onStop: (listener) => void stopListeners.push(listener),
    async reportLastMetrics() {
      const metrics = await readMetrics().catch(() => undefined);
      if (metrics) send({ kind: "lastMetrics", metrics });
    },
    shareMetrics(read) {
      readMetrics = read;
      return async () => {
        lastId += 1;
        const id = lastId;
        const { promise, resolve, reject } = Promise.withResolvers<ProcessMetrics[]>();
        pending.set(id, resolve);
        const timer = setTimeout(
          () => reject(new Error("The metrics of the other processes could not be read")),
          RESPONSE_TIMEOUT_MS,
        );
        send({ kind: "metricsRequest", id });
        try {
          return await promise;
        } finally {
          clearTimeout(timer);
          pending.delete(id);
        }
      };
    },
  };
}

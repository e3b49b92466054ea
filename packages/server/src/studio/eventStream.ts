import type { StreamReply, StudioRequest } from "./route.ts";

/** Maximum number of queued events; a slower client is disconnected and has to reconnect. */
const MAX_QUEUED_EVENTS = 5_000;
/** Interval of heartbeats and session checks, in ms. */
const HEARTBEAT_MS = 5_000;

/**
 * Sends server-sent events until the client disconnects or its session ends. `subscribe` receives the function that
 * sends an event and returns a function that unsubscribes.
 */
export function eventStream(
  { closeSignal, isSessionValid }: StudioRequest,
  subscribe: (send: (event: string, data: unknown) => void) => (() => void) | Promise<() => void>,
): StreamReply {
  async function* events(): AsyncGenerator<string> {
    let queue: string[] = [];
    let isEnded = false;
    let wake: () => void = () => undefined;
    const wakeUp = () => wake();
    const end = () => {
      isEnded = true;
      wakeUp();
    };
    closeSignal.addEventListener("abort", end);
    if (closeSignal.aborted) return;
    const unsubscribe = await subscribe((event, data) => {
      queue.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (queue.length > MAX_QUEUED_EVENTS) end();
      wakeUp();
    });
    const heartbeat = setInterval(() => {
      queue.push(": still here\n\n");
      wakeUp();
      // The stream ends when the session has ended or cannot be checked.
      isSessionValid().then(
        (isValid) => isValid || end(),
        () => end(),
      );
    }, HEARTBEAT_MS);
    try {
      // Sent immediately, so that the browser knows that it is connected and reconnects quickly.
      yield "retry: 1000\n\n";
      while (!isEnded) {
        if (queue.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const chunks = queue;
        queue = [];
        if (!isEnded && chunks.length > 0) yield chunks.join("");
      }
    } finally {
      clearInterval(heartbeat);
      closeSignal.removeEventListener("abort", end);
      unsubscribe();
    }
  }
  return { stream: events(), contentType: "text/event-stream; charset=utf-8" };
}

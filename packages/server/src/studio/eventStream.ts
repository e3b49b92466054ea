import type { StreamReply, StudioRequest } from "./route.ts";

/** Maximum number of queued events; a slower client is disconnected and has to reconnect. */
const MAX_QUEUED_EVENTS = 5_000;
/** Maximum size of queued events in characters; of one event at least. */
const MAX_QUEUED_CHARS = 16 * 1024 * 1024;
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
    let queuedChars = 0;
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
      if (isEnded) return;
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      queue.push(text);
      queuedChars += text.length;
      const isTooLong =
        queue.length > MAX_QUEUED_EVENTS || (queuedChars > MAX_QUEUED_CHARS && queue.length > 1);
      if (isTooLong) end();
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
        queuedChars = 0;
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

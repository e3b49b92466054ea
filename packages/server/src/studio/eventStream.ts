import type { StreamReply, StudioRequest } from "./route.ts";

/** What waits for a slow reader at most; beyond, it is sent away and asks anew. */
const MOST_WAITING = 5_000;
/** How often a quiet stream shows that it lives, and its session is looked at again, in ms. */
const HEARTBEAT_MS = 5_000;

/**
 * Server-sent events for as long as the reader and their session stay. `follow` is given what tells an event, and
 * answers the way to stop.
 */
export function eventStream(
  { gone, isStillGood }: StudioRequest,
  follow: (tell: (event: string, data: unknown) => void) => (() => void) | Promise<() => void>,
): StreamReply {
  async function* events(): AsyncGenerator<string> {
    let waiting: string[] = [];
    let isOver = false;
    let wake: () => void = () => undefined;
    const rouse = () => wake();
    const end = () => {
      isOver = true;
      rouse();
    };
    gone.addEventListener("abort", end);
    if (gone.aborted) return;
    const stop = await follow((event, data) => {
      waiting.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (waiting.length > MOST_WAITING) end();
      rouse();
    });
    const beat = setInterval(() => {
      waiting.push(": still here\n\n");
      rouse();
      // A session that has ended, and a database that cannot tell, end what it may see.
      isStillGood().then(
        (isGood) => isGood || end(),
        () => end(),
      );
    }, HEARTBEAT_MS);
    try {
      // Told at once, so that the browser knows that it is connected and comes back soon after a break.
      yield "retry: 1000\n\n";
      while (!isOver) {
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const pieces = waiting;
        waiting = [];
        if (!isOver && pieces.length > 0) yield pieces.join("");
      }
    } finally {
      clearInterval(beat);
      gone.removeEventListener("abort", end);
      stop();
    }
  }
  return { stream: events(), contentType: "text/event-stream; charset=utf-8" };
}

import { parentPort } from "node:worker_threads";
import { READY, type RequestMessage, type ResponseMessage, type SerializedError } from "./messages.ts";

export interface ServeOptions<Request, Response> {
  handle(request: Request): Response | Promise<Response>;
  /** What of an error the other end needs to rebuild it. */
  serializeError?(error: unknown): SerializedError;
}

/**
 * The worker's end of a `WorkerPool`: answers one request at a time and tells the pool that it is ready.
 * Does nothing on the main thread, so that the module can be imported for its types.
 */
export function serveRequests<Request, Response>(options: ServeOptions<Request, Response>): void {
  const port = parentPort;
  if (!port) return;
  const { handle, serializeError = messageOf } = options;
  port.on("message", async ({ id, request }: RequestMessage<Request>) => {
    let answer: ResponseMessage<Response>;
    try {
      answer = { id, response: await handle(request) };
    } catch (error) {
      answer = { id, error: serializeError(error) };
    }
    try {
      port.postMessage(answer);
    } catch (error) {
      // An answer that cannot be sent to another thread.
      port.postMessage({ id, error: messageOf(error) });
    }
  });
  port.postMessage(READY);
}

function messageOf(error: unknown): SerializedError {
  return { message: error instanceof Error ? error.message : String(error) };
}

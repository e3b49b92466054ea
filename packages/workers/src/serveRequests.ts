import { parentPort } from "node:worker_threads";
import { READY, type RequestMessage, type ResponseMessage, type SerializedError } from "./messages.ts";

export interface ServeOptions<Request, Response> {
  handle(request: Request): Response | Promise<Response>;
  /** Converts an error to the data that `deserializeError` needs. */
  serializeError?(error: unknown): SerializedError;
}

/**
 * Handles the requests of a `WorkerPool` in the worker, one at a time, and reports that it is ready. Does nothing on
 * the main thread, so that the module can be imported for its types.
 */
export function serveRequests<Request, Response>(options: ServeOptions<Request, Response>): void {
  const port = parentPort;
  if (!port) return;
  const { handle, serializeError = serializeMessage } = options;
  port.on("message", async ({ id, request }: RequestMessage<Request>) => {
    let response: ResponseMessage<Response>;
    try {
      response = { id, response: await handle(request) };
    } catch (error) {
      response = { id, error: serializeError(error) };
    }
    try {
      port.postMessage(response);
    } catch (error) {
      // The response cannot be cloned.
      port.postMessage({ id, error: serializeMessage(error) });
    }
  });
  port.postMessage(READY);
}

function serializeMessage(error: unknown): SerializedError {
  return { message: error instanceof Error ? error.message : String(error) };
}

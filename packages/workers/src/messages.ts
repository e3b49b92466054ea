/** The first message of every supervised worker: it accepts requests from now on. */
export const READY = "purse:ready";

/** An error on its way between threads. `details` is what the two ends agree on, such as an error code. */
export interface SerializedError {
  message: string;
  details?: unknown;
}

export interface RequestMessage<Request> {
  id: number;
  request: Request;
}

export type ResponseMessage<Response> =
  | { id: number; response: Response }
  | { id: number; error: SerializedError };

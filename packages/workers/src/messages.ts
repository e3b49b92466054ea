/** The first message of every supervised worker, sent when it is ready for requests. */
export const READY = "purse:ready";

/** An error that is sent between threads. `details` are defined by the application, such as an error code. */
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

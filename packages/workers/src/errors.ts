/** The worker ended while processing the request; whether the request took effect is unknown. */
export class WorkerExitedError extends Error {
  override readonly name = "WorkerExitedError";
}

/** The request exceeded its timeout, and its worker was terminated. */
export class WorkerTimeoutError extends Error {
  override readonly name = "WorkerTimeoutError";
}

/** The queue is full, or the request waited in it for too long; it was never started. */
export class WorkerOverloadedError extends Error {
  override readonly name = "WorkerOverloadedError";
}

/** The worker is stopped, or has failed too often and is not restarted; the request was never started. */
export class WorkerUnavailableError extends Error {
  override readonly name = "WorkerUnavailableError";
}

/** The request was aborted by its sender. */
export class WorkerAbortedError extends Error {
  override readonly name = "WorkerAbortedError";
}

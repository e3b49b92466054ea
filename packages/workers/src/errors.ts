/** The worker ended while it held the request; whether the request took effect is unknown. */
export class WorkerExitedError extends Error {
  override readonly name = "WorkerExitedError";
}

/** The request ran longer than its deadline; the worker that ran it was ended. */
export class WorkerTimeoutError extends Error {
  override readonly name = "WorkerTimeoutError";
}

/** The queue is full, or the request waited too long in it; it was never begun. */
export class WorkerOverloadedError extends Error {
  override readonly name = "WorkerOverloadedError";
}

/** The worker is stopped, or has failed so often that it is not restarted any more; the request was never begun. */
export class WorkerUnavailableError extends Error {
  override readonly name = "WorkerUnavailableError";
}

/** Whoever made the request does not wait for its answer any more. */
export class WorkerAbortedError extends Error {
  override readonly name = "WorkerAbortedError";
}

export * from "./errors.ts";
export { READY, type SerializedError } from "./messages.ts";
export { type ServeOptions, serveRequests } from "./serveRequests.ts";
export {
  DEFAULT_RESTART_POLICY,
  type RestartPolicy,
  SupervisedWorker,
  type SupervisedWorkerOptions,
  type WorkerHealth,
  type WorkerLogger,
  type WorkerState,
} from "./supervisedWorker.ts";
export { type CallOptions, WorkerPool, type WorkerPoolOptions } from "./workerPool.ts";

import type { IncomingMessage } from "node:http";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { requestIdOf } from "../core/http/requestId.ts";
import type { Logger } from "../core/logger.ts";

export interface AccessLogOptions {
  /** Receives a line for each request; undefined for none. */
  accessLogger: Pick<Logger, "info"> | undefined;
  /** Receives lines for slow requests. */
  logger: Pick<Logger, "warn">;
  /** The duration from which a request is slow, in ms; 0 for never. */
  slowMs: number;
  clientAddressOf: ClientAddressOf;
}

/** Logs a request that was answered, with its duration in ms. The path is without the query string. */
export type LogAccess = (message: IncomingMessage, path: string, status: number, ms: number) => void;

/** Creates the access log and the log of slow requests. */
export function createAccessLog({
  accessLogger,
  logger,
  slowMs,
  clientAddressOf,
}: AccessLogOptions): LogAccess {
  return (message, path, status, ms) => {
    const isSlow = slowMs > 0 && ms >= slowMs;
    if (!isSlow && !accessLogger) return;
    const fields = {
      method: message.method,
      path,
      status,
      ms: Math.round(ms * 10) / 10,
      ip: clientAddressOf(message),
      requestId: requestIdOf(message),
    };
    accessLogger?.info("request", fields);
    if (isSlow) logger.warn("slow request", fields);
  };
}

import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";

export interface TimeLimit {
  /** What is called, for error messages. */
  name: string;
  /** Milliseconds; 0 for no limit. */
  timeoutMs: number;
  logger: Pick<Logger, "warn">;
}

/** Waits for the result of cloud code. Rejects with 124 after the timeout; the code itself keeps running. */
export async function withTimeLimit<Result>(
  result: Promise<Result>,
  { name, timeoutMs, logger }: TimeLimit,
): Promise<Result> {
  if (timeoutMs === 0) return result;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      logger.warn("cloud code took too long", { name, ms: timeoutMs });
      reject(new ProtocolError(ErrorCode.TIMEOUT, `${name} did not end within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

import { totalmem } from "node:os";
import type { Logger } from "../logger.ts";
import { UnsentBytes } from "./unsentBytes.ts";

/** The part of the memory that may wait to be sent by default. */
const MEMORY_SHARE = 1 / 16;
const MAX_DEFAULT_BYTES = 512 * 1024 ** 2;

/** Creates the limit of what waits to be sent. One address may have at least two responses of the maximum size. */
export function openUnsentBytes(
  { maxUnsentBytes, maxAnswerBytes }: { maxUnsentBytes?: number | undefined; maxAnswerBytes: number },
  logger: Logger,
): UnsentBytes {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const byDefault = Math.min(memory * MEMORY_SHARE, MAX_DEFAULT_BYTES);
  return new UnsentBytes({
    maxBytes: Math.max(maxUnsentBytes ?? byDefault, 4 * maxAnswerBytes),
    onEnded: ({ address, receivers, bytes }) =>
      logger.warn("ended connections whose clients read too slowly", {
        address,
        connections: receivers,
        bytes,
      }),
  });
}

import type { Logger } from "./logger.ts";

/** Does not wait for an email. A failure is only logged, so that neither the response nor its timing reveals anything. */
export function sendInBackground(sending: Promise<unknown>, logger: Logger): void {
  sending.catch((error: unknown) => logger.error("an email could not be sent", { error }));
}

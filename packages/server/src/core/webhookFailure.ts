import { PrivateAddressError } from "@purse/outbound";

/** Why a webhook could not be called, and which setting allows it if its address is private. */
export function webhookFailure(error: unknown): string {
  // A host with several addresses fails with the errors of all of them, and no message of its own.
  if (error instanceof AggregateError && error.message === "")
    return [...new Set(error.errors.map(webhookFailure))].join("; ");
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof PrivateAddressError
    ? `${message}: PURSE_ALLOW_PRIVATE_HOOKS=1 allows them for webhooks`
    : message;
}

import type { CallsStatus } from "@purse/client";

/** What is known of calls that were sent together and are no longer pending. */
export type CallsOutcome =
  /** Their transaction has a status of its own. */
  { hash: string } | { status: "confirmed" | "failed" | "reverted" | "unknown" };

/** What has become of calls. The last transaction stands for all calls only if they have the same status. */
export function callsOutcome({
  status,
  receipts,
}: {
  status: CallsStatus["status"];
  receipts: readonly { transactionHash: string }[];
}): CallsOutcome {
  if (status === "failed") return { status };
  if (status !== "confirmed" && status !== "reverted") return { status: "unknown" };
  const hash = receipts.at(-1)?.transactionHash;
  return hash === undefined ? { status } : { hash };
}

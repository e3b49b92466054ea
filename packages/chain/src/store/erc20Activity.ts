import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { APPROVAL_TOPIC, TRANSFER_TOPIC } from "../model/topics.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";
import { addressTopicBytes, isErc20 } from "./transferConditions.ts";

/** Transfers, mints, burns or approvals of ERC-20 tokens. Addresses are lower-case hex with 0x. */
export interface Erc20Activity {
  kind: "transfers" | "mints" | "burns" | "approvals";
  contracts?: readonly string[] | undefined;
  excludedContracts?: readonly string[] | undefined;
  /** Only those of which one of these is a party. */
  wallets?: readonly string[] | undefined;
  excludedWallets?: readonly string[] | undefined;
}

const ofLogs = expressionBuilder<ChainTables, "logs">();
const NOBODY = addressTopicBytes(NULL_ADDRESS);

/** Conditions without overlap for the logs of an activity. `isApproval` uses the index of approvals. */
export function erc20ActivityConditions(
  { kind, contracts, excludedContracts, wallets, excludedWallets }: Erc20Activity,
  isApproval: Expression<SqlBool>,
): Expression<SqlBool>[] {
  const excluded = excludedWallets?.map(addressTopicBytes) ?? [];
  const all = [
    ...ofKind(kind, isApproval),
    ...(contracts ? [ofLogs("address", "in", padValues(contracts.map(toBytes)))] : []),
    ...(excludedContracts ? [ofLogs("address", "not in", padValues(excludedContracts.map(toBytes)))] : []),
    ...(excluded.length > 0
      ? [ofLogs("topic1", "not in", padValues(excluded)), ofLogs("topic2", "not in", padValues(excluded))]
      : []),
  ];
  if (!wallets) return [ofLogs.and(all)];
  const topics = padValues(wallets.map(addressTopicBytes));
  return [
    ofLogs.and([...all, ofLogs("topic1", "in", topics)]),
    ofLogs.and([...all, ofLogs("topic2", "in", topics), ofLogs("topic1", "not in", topics)]),
  ];
}

function ofKind(kind: Erc20Activity["kind"], isApproval: Expression<SqlBool>): Expression<SqlBool>[] {
  const isTransfer = [isErc20, ofLogs("topic0", "=", toBytes(TRANSFER_TOPIC))];
  switch (kind) {
    case "transfers":
      return isTransfer;
    case "mints":
      return [...isTransfer, ofLogs("topic1", "=", NOBODY)];
    case "burns":
      return [...isTransfer, ofLogs("topic2", "=", NOBODY)];
    case "approvals":
      // Approvals of one NFT have its id as a fourth topic.
      return [isApproval, ofLogs("topic0", "=", toBytes(APPROVAL_TOPIC)), ofLogs("topic3", "is", null)];
  }
}

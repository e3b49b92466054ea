import { NULL_ADDRESS, type RawLog } from "../../model/rows.ts";
import { APPROVAL_FOR_ALL_TOPIC, APPROVAL_TOPIC, addressOf, isAddressTopic } from "../../model/topics.ts";

/** An approval or its revocation, as logged. */
export interface LoggedApproval {
  /** amount: an ERC-20 allowance; token: one NFT; all: all NFTs of a collection. */
  kind: "amount" | "token" | "all";
  position: number;
  token: string;
  spender: string;
  /** The allowance in the token's smallest unit; null for NFTs. */
  value: bigint | null;
  /** 32 bytes; null except for one NFT. */
  tokenId: string | null;
  isRevoked: boolean;
}

type ApprovalLog = Pick<RawLog, "position" | "address" | "data"> & { topics: readonly string[] };

/** Decodes an approval (EIP-20, EIP-721, EIP-1155); undefined for other logs. */
export function decodeApproval({ position, address, topics, data }: ApprovalLog): LoggedApproval | undefined {
  const [topic, , spenderTopic, tokenId] = topics;
  if (!isAddressTopic(spenderTopic)) return undefined;
  const approval = { position, token: address, spender: addressOf(spenderTopic) };
  if (topic === APPROVAL_TOPIC && tokenId !== undefined) {
    const isRevoked = approval.spender === NULL_ADDRESS;
    return { ...approval, kind: "token", value: null, tokenId, isRevoked };
  }
  if (data.length !== 66) return undefined;
  const value = BigInt(data);
  if (topic === APPROVAL_TOPIC)
    return { ...approval, kind: "amount", value, tokenId: null, isRevoked: value === 0n };
  if (topic !== APPROVAL_FOR_ALL_TOPIC) return undefined;
  return { ...approval, kind: "all", value: null, tokenId: null, isRevoked: value === 0n };
}

import type { ChainLog } from "../node/chainNode.ts";
import type { Erc20TransferRow } from "../store/chainStore.ts";

/** keccak-256 of `Transfer(address,address,uint256)`: ERC-20 and ERC-721 share it. */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/**
 * An ERC-20 transfer (EIP-20): two indexed addresses and one word of data. ERC-721 indexes the token
 * too; what has another shape is not a transfer, whatever its topic says.
 */
export function decodeErc20Transfer(log: ChainLog, timestamp: number): Erc20TransferRow | undefined {
  const [topic, from, to] = log.topics;
  if (topic !== TRANSFER_TOPIC || log.topics.length !== 3 || !/^0x[0-9a-f]{64}$/.test(log.data))
    return undefined;
  const sender = addressOf(from);
  const receiver = addressOf(to);
  if (sender === undefined || receiver === undefined) return undefined;
  return {
    block_number: log.blockNumber,
    log_index: log.logIndex,
    transaction_index: log.transactionIndex,
    transaction_hash: log.transactionHash,
    block_hash: log.blockHash,
    timestamp,
    token: log.address,
    from_address: sender,
    to_address: receiver,
    value: BigInt(log.data).toString(),
  };
}

/** The address in a topic; undefined where the upper twelve bytes are not zero. */
function addressOf(topic: string | undefined): string | undefined {
  return topic && /^0x0{24}[0-9a-f]{40}$/.test(topic) ? `0x${topic.slice(26)}` : undefined;
}

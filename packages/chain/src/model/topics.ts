import { NULL_ADDRESS } from "./rows.ts";

/** keccak-256 of `Transfer(address,address,uint256)`, which ERC-20 and ERC-721 share. */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Topics of `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of wrapped native coins (WETH9). */
export const DEPOSIT_TOPIC = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
export const WITHDRAWAL_TOPIC = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";

/** Topic of `Upgraded(address)` of upgradable contracts (ERC-1967). */
export const UPGRADED_TOPIC = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";

/** Topic of `BeaconUpgraded(address)` of proxies, whose code is that of a beacon (ERC-1967). */
export const BEACON_UPGRADED_TOPIC = "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e";
/** Topic of `DiamondCut((address,uint8,bytes4[])[],address,bytes)` of contracts with several codes (ERC-2535). */
export const DIAMOND_CUT_TOPIC = "0x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673";

/** CryptoPunks' `Assign(address,uint256)`, `PunkTransfer(address,address,uint256)`, `PunkBought(uint256,uint256,address,address)`. */
export const ASSIGN_TOPIC = "0x8a0e37b73a0d9c82e205d4d1a3ff3d0b57ce5f4d7bccf6bac03336dc101cb7ba";
export const PUNK_TRANSFER_TOPIC = "0x05af636b70da6819000c49f85b21fa82081c632069bb626f30932034099107d8";
export const PUNK_BOUGHT_TOPIC = "0x58e5d5a525e3b40bc15abaa38b5882678db1ee68befd2f60bafe3a7fd06db9e3";
/** Transfer events of contracts that predate EIP-721, and of their copies. */
export const LEGACY_NFT_TOPICS: readonly string[] = [ASSIGN_TOPIC, PUNK_TRANSFER_TOPIC];

const ADDRESS_PADDING = `0x${"0".repeat(24)}`;

export function isAddressTopic(topic: string | undefined): topic is string {
  return topic !== undefined && topic.length === 66 && topic.startsWith(ADDRESS_PADDING);
}

/** The address in a topic whose upper twelve bytes are zero. */
export function addressOf(topic: string): string {
  return `0x${topic.slice(26)}`;
}

/** Pads an address to a topic. */
export function addressTopic(address: string): string {
  return `${ADDRESS_PADDING}${address.slice(2)}`;
}

/** The sender and receiver of a log that counts as an ERC-20 transfer. */
export function transferParties([topic, first = "", second = ""]: readonly string[]): {
  from: string;
  to: string;
} {
  if (topic === DEPOSIT_TOPIC) return { from: NULL_ADDRESS, to: addressOf(first) };
  if (topic === WITHDRAWAL_TOPIC) return { from: addressOf(first), to: NULL_ADDRESS };
  return { from: addressOf(first), to: addressOf(second) };
}

/** Topic of `Approval(address,address,uint256)`, which ERC-20 and ERC-721 share. */
export const APPROVAL_TOPIC = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
/** Topic of `ApprovalForAll(address,address,bool)` (EIP-721, EIP-1155). */
export const APPROVAL_FOR_ALL_TOPIC = "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";

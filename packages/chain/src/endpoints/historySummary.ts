import { formatUnits } from "viem";
import type { Category } from "../decode/activity/classify.ts";

interface Movement {
  direction: "send" | "receive" | "self";
  from_address: string;
  to_address: string | null;
}

interface FungibleMovement extends Movement {
  value: string;
  value_formatted: string;
  token_symbol: string;
}

/** The part of a history entry that its summary mentions. */
export interface SummarizedEntry {
  category: Category;
  method_label: string | null;
  from_address: string;
  to_address: string | null;
  receipt_contract_address: string | null;
  native_transfers: readonly FungibleMovement[];
  erc20_transfers: readonly (FungibleMovement & { address: string; token_decimals: string | null })[];
  nft_transfers: readonly (Movement & { name: string; token_id: string; amount: string })[];
  approvals: readonly {
    approval_type: "erc20" | "nft" | "nft_collection";
    token_address: string;
    token_name: string;
    token_symbol: string;
    token_id: string | null;
    spender_address: string;
    value_formatted: string | null;
    is_unlimited: boolean;
  }[];
  nft_sales: readonly { price_formatted: string | null; price_symbol: string }[];
}

const COIN_DECIMALS = 18;
/** Items that a summary lists. */
const MAX_ITEMS = 3;
/** Characters of a name that a contract chose. */
const MAX_NAME = 40;

/** Describes an entry of a wallet's history in one English sentence. */
export function summarize(entry: SummarizedEntry, wallet: string): string {
  const sent = itemsOf(entry, "send");
  const received = itemsOf(entry, "receive");
  const [sale] = entry.nft_sales;
  const price = sale?.price_formatted ? ` for ${sale.price_formatted} ${nameOf(sale.price_symbol)}` : "";
  const nfts = (direction: Movement["direction"]) =>
    listOf(entry.nft_transfers.filter((each) => each.direction === direction).map(nftText));
  switch (entry.category) {
    case "failed":
      return entry.method_label ? `Failed to call ${entry.method_label}` : "Failed transaction";
    case "deploy":
      return `Deployed contract ${shortAddress(entry.receipt_contract_address)}`;
    case "send":
    case "token send":
    case "nft send":
      return `Sent ${listOf(sent) || selfText(entry)} to ${shortAddress(counterparty(entry, "send") ?? wallet)}`;
    case "receive":
    case "token receive":
    case "nft receive":
      return `Received ${listOf(received)} from ${shortAddress(counterparty(entry, "receive"))}`;
    case "token swap":
      return received.length > 0
        ? `Swapped ${listOf(sent)} for ${listOf(received)}`
        : `Swapped ${listOf(sent)}`;
    case "nft purchase":
      return `Bought ${nfts("receive") || "NFTs"}${price || withItems(" for", fungibleOf(entry, "send"))}`;
    case "nft sale":
      return `Sold ${nfts("send") || "NFTs"}${price || withItems(" for", fungibleOf(entry, "receive"))}`;
    case "mint":
      return `Minted ${listOf(received)}${withItems(" for", sent)}`;
    case "burn":
      return `Burned ${listOf(sent)}`;
    case "deposit":
      return `Deposited ${listOf(sent)}${withItems(" and received", received)}`;
    case "withdraw":
      return received.length > 0 ? `Withdrew ${listOf(received)}` : `Withdrew with ${listOf(sent)}`;
    case "approve":
      return approvalText(entry);
    case "revoke":
      return `Revoked ${listOf(entry.approvals.map((each) => `${shortAddress(each.spender_address)} for ${tokenText(each)}`))}`;
    case "contract interaction":
      return `Called ${entry.method_label ?? "contract"} of ${shortAddress(entry.to_address)}`;
  }
}

function itemsOf(entry: SummarizedEntry, direction: Movement["direction"]): string[] {
  const nfts = entry.nft_transfers.filter((each) => each.direction === direction).map(nftText);
  return [...fungibleOf(entry, direction), ...nfts];
}

function fungibleOf(entry: SummarizedEntry, direction: Movement["direction"]): string[] {
  const byToken = Map.groupBy(entry.erc20_transfers, ({ address }) => address);
  return [
    ...amountsOf(entry.native_transfers, direction, COIN_DECIMALS).map(
      (amount) => `${amount} ${nameOf(entry.native_transfers[0]?.token_symbol ?? "")}`,
    ),
    ...[...byToken].flatMap(([address, transfers]) => {
      const [first] = transfers;
      const name = nameOf(first?.token_symbol ?? "") || `units of ${shortAddress(address)}`;
      const decimals = Number(first?.token_decimals ?? 0);
      return amountsOf(transfers, direction, decimals).map((amount) => `${amount} ${name}`);
    }),
  ];
}

/** The amounts of transfers of one token in a direction: if it moved in both, as with a refund, only the difference. */
function amountsOf(
  transfers: readonly FungibleMovement[],
  direction: Movement["direction"],
  decimals: number,
): string[] {
  const wanted = transfers.filter((each) => each.direction === direction);
  const opposite = direction === "send" ? "receive" : "send";
  const others = transfers.filter((each) => each.direction === opposite);
  if (direction === "self" || wanted.length === 0 || others.length === 0)
    return wanted.map(({ value_formatted }) => value_formatted);
  const sumOf = (all: readonly FungibleMovement[]) => all.reduce((sum, { value }) => sum + BigInt(value), 0n);
  const difference = sumOf(wanted) - sumOf(others);
  return difference > 0n ? [formatUnits(difference, decimals)] : [];
}

function nftText({ name, token_id, amount }: SummarizedEntry["nft_transfers"][number]): string {
  const id = token_id.length > 12 ? `${token_id.slice(0, 12)}…` : token_id;
  return `${amount === "1" ? "" : `${amount} × `}${nameOf(name) || "NFT"} #${id}`;
}

function selfText(entry: SummarizedEntry): string {
  return listOf(itemsOf(entry, "self"));
}

/** The other party of the first transfer in a direction. */
function counterparty(entry: SummarizedEntry, direction: "send" | "receive"): string | null | undefined {
  const movements: readonly Movement[] = [
    ...entry.nft_transfers,
    ...entry.erc20_transfers,
    ...entry.native_transfers,
  ];
  const found = movements.find((each) => each.direction === direction);
  return direction === "send" ? found?.to_address : found?.from_address;
}

function approvalText({ approvals }: SummarizedEntry): string {
  const texts = approvals.map((each) => {
    const amount = each.is_unlimited ? "unlimited " : each.value_formatted ? `${each.value_formatted} ` : "";
    const all = each.approval_type === "nft_collection" ? "all " : "";
    return `${shortAddress(each.spender_address)} to take ${amount}${all}${tokenText(each)}`;
  });
  return `Approved ${listOf(texts)}`;
}

function tokenText(each: SummarizedEntry["approvals"][number]): string {
  const name = nameOf(each.approval_type === "erc20" ? each.token_symbol : each.token_name);
  return `${name || shortAddress(each.token_address)}${each.token_id === null ? "" : ` #${each.token_id}`}`;
}

function withItems(text: string, items: readonly string[]): string {
  return items.length > 0 ? `${text} ${listOf(items)}` : "";
}

function listOf(items: readonly string[]): string {
  const shown = items.slice(0, MAX_ITEMS).join(", ");
  return items.length > MAX_ITEMS ? `${shown} and ${items.length - MAX_ITEMS} more` : shown;
}

function nameOf(text: string): string {
  return text.trim().slice(0, MAX_NAME);
}

function shortAddress(address: string | null | undefined): string {
  return address ? `${address.slice(0, 6)}…${address.slice(-4)}` : "an unknown address";
}

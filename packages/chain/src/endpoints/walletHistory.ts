import { methodOf } from "@purse/protocol";
import { formatEther, formatUnits } from "viem";
import { decodeApproval, type LoggedApproval } from "../decode/activity/approvalLog.ts";
import { classify } from "../decode/activity/classify.ts";
import {
  blockOf,
  indexOf,
  type NftTransferRow,
  NULL_ADDRESS,
  positionOf,
  type TradeRow,
  type TransactionRow,
} from "../model/rows.ts";
import type { TokenMetadata } from "../model/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { ALL_SWAP_TOPICS } from "../prices/poolEvents.ts";
import type { Erc20Transfer } from "../store/tableRows.ts";
import type { HistoryRows } from "../store/walletHistoryStore.ts";
import { allowanceFields, approvalType } from "./approvals.ts";
import { type ChainContext, requireSynced, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { erc20Labels } from "./erc20.ts";
import { keptFields } from "./eventRetention.ts";
import { summarize } from "./historySummary.ts";
import { readInternalTransfers } from "./internalCalls.ts";
import { mapInSlices } from "./mapInSlices.ts";
import { contractType } from "./nftFields.ts";
import { collectionLabels } from "./nftSerializer.ts";
import { assertKept, blockBounds, blockFields, pageFields } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { loadMetadata, loadTokenMetadata } from "./tokenMetadata.ts";

/** Transactions per page. */
const MAX_TRANSACTIONS = 100;
/** The same if the node has to trace them. */
const MAX_TRACED = 25;
/** Transfers of one kind per transaction; more would make a page huge. */
const MAX_TRANSFERS = 200;

/** What wallets did and what happened to them. */
export function walletHistoryHandlers(selectChain: SelectChain) {
  return {
    getWalletHistory: async ({
      chain: selector,
      address: wallet,
      limit: requested,
      cursor,
      order,
      include_internal_transactions: isTraced,
      ...range
    }) => {
      const chain = await selectFullIndex(selectChain, selector, "the history of a wallet");
      const withInternal = isTraced && chain.config.traces === true;
      const limit = Math.min(requested, isTraced && !withInternal ? MAX_TRACED : MAX_TRANSACTIONS);
      const bounds = await blockBounds(chain, range);
      await assertKept(chain, bounds);
      const after = cursor && Number(cursor.parts[0]);
      const rows = await chain.store.walletHistory.read(wallet, {
        ...bounds,
        after,
        ascending: order === "asc",
        limit,
        withInternal,
      });
      if (rows.positions.length === 0 && after === undefined) requireSynced(chain);
      const serialize = await loadSerializer(chain, wallet, rows, isTraced && !withInternal);
      const last = rows.hasMore ? rows.positions.at(-1) : undefined;
      return {
        ...pageFields({ limit, cursor }, last === undefined ? undefined : [last]),
        ...(await keptFields(chain)),
        result: (await mapInSlices(rows.positions, serialize)).filter((entry) => entry !== undefined),
      };
    },
  } satisfies Partial<Handlers>;
}

/** Loads what the rows of a page refer to, and creates a function that serializes a transaction by its position. */
async function loadSerializer(chain: ChainContext, wallet: string, rows: HistoryRows, isTraced: boolean) {
  const { positions } = rows;
  const { coin, wrappedNative, marketplaces } = marketOf(chain.config);
  const approvals = new Map(positions.map((position) => [position, approvalsOf(rows, position)] as const));
  const withNfts = positions.filter((position) => rows.nfts.has(position));
  const withTokens = positions.filter((position) => rows.erc20.has(position));
  const standards = standardsOf(rows, approvals);
  const [transactions, blocks, trades, swaps, mentioned] = await Promise.all([
    chain.store.transactionsAt(positions),
    chain.store.blocks(positions.map(blockOf)),
    chain.store.walletHistory.tradesIn(
      withNfts,
      marketplaces.map(({ address }) => address),
    ),
    chain.store.walletHistory.transactionsWithLog(withTokens, ALL_SWAP_TOPICS),
    loadMetadata(chain, standards),
  ]);
  const tradesByTransaction = Map.groupBy(
    trades.filter(({ seller, buyer }) => seller === wallet || buyer === wallet),
    ({ position, transactionIndex }) => positionOf(blockOf(position), transactionIndex),
  );
  const paidWith = trades.flatMap(({ priceToken }) =>
    priceToken === null || standards.get(priceToken) === 20 ? [] : [priceToken],
  );
  const metadata =
    paidWith.length === 0
      ? mentioned
      : new Map([...mentioned, ...(await loadTokenMetadata(chain, [...new Set(paidWith)], 20))]);
  const internal = isTraced ? await readInternalTransfers(chain, [...transactions.values()]) : undefined;
  return (position: number) => {
    const transaction = transactions.get(position);
    if (!transaction) return undefined;
    const erc20 = rows.erc20.get(position) ?? [];
    const nfts = rows.nfts.get(position) ?? [];
    const sales = tradesByTransaction.get(position) ?? [];
    const approved = approvals.get(position) ?? [];
    const calls = rows.internal
      ? (rows.internal.get(position) ?? []).toSorted((a, b) => a.part - b.part)
      : (internal?.get(transaction.hash) ?? []).filter(({ from, to }) => from === wallet || to === wallet);
    const paidOut = calls.filter(({ value }) => BigInt(value) > 0n);
    const { from, to, contract } = transaction;
    const isParty = from === wallet || to === wallet || contract === wallet;
    // Only a log in the form of an approval that is none concerns the wallet.
    if (!isParty && [erc20, nfts, approved, calls].every(({ length }) => length === 0)) return undefined;
    const entry = {
      ...transactionFields(transaction),
      ...blockFields(blocks, position),
      category: classify({
        wallet,
        transaction,
        internal: paidOut,
        erc20,
        nfts,
        approvals: approved,
        trades: sales,
        hasSwap: swaps.has(position),
        wrappedNative,
      }),
      native_transfers: [
        ...nativeTransfers(transaction, wallet, coin.symbol),
        ...paidOut
          .slice(0, MAX_TRANSFERS)
          .map((transfer) => nativeTransfer(transfer, wallet, coin.symbol, true)),
      ],
      erc20_transfers: erc20
        .slice(0, MAX_TRANSFERS)
        .map((row) => erc20Transfer(chain, row, wallet, metadata.get(row.token))),
      nft_transfers: nfts
        .slice(0, MAX_TRANSFERS)
        .map((row) => nftTransfer(chain, row, wallet, metadata.get(row.token))),
      approvals: approved
        .slice(0, MAX_TRANSFERS)
        .map((each) => approvalChange(each, metadata.get(each.token))),
      nft_sales: sales.map((sale) => nftSale(sale, coin.symbol, metadata)),
      is_truncated: Math.max(erc20.length, nfts.length, approved.length, paidOut.length) > MAX_TRANSFERS,
    };
    return { ...entry, summary: summarize(entry, wallet) };
  };
}

/** The approvals of a transaction. NFTs that move lose their approval, which some contracts log. */
function approvalsOf({ approvals, nfts }: HistoryRows, position: number): LoggedApproval[] {
  const moved = new Set((nfts.get(position) ?? []).map(({ token, tokenId }) => token + tokenId));
  return (approvals.get(position) ?? [])
    .flatMap((log) => decodeApproval(log) ?? [])
    .filter(({ token, tokenId, spender }) => spender !== NULL_ADDRESS || !moved.has(token + tokenId));
}

/** The standards of the tokens and collections that the rows of a page mention, by address. */
function standardsOf(
  { positions, erc20, nfts }: HistoryRows,
  approvals: ReadonlyMap<number, readonly LoggedApproval[]>,
): Map<string, number> {
  const standards = new Map<string, number>();
  for (const position of positions) {
    for (const { token } of erc20.get(position) ?? []) standards.set(token, 20);
    for (const { token, standard } of nfts.get(position) ?? [])
      if (standards.get(token) !== 20) standards.set(token, standard);
    for (const { token, kind } of approvals.get(position) ?? []) {
      if (kind === "amount") standards.set(token, 20);
      else if (!standards.has(token)) standards.set(token, 721);
    }
  }
  return standards;
}

/** Without block fields. */
function transactionFields(row: TransactionRow) {
  return {
    hash: row.hash,
    nonce: String(row.nonce),
    transaction_index: String(indexOf(row.position)),
    from_address: row.from,
    to_address: row.to,
    value: row.value,
    gas: row.gas,
    gas_price: row.gasPrice,
    receipt_gas_used: row.gasUsed,
    receipt_contract_address: row.contract,
    receipt_status: row.status === null ? null : String(row.status),
    transaction_fee: formatEther(BigInt(row.gasUsed) * BigInt(row.gasPrice)),
    method_label: row.to === null ? null : (methodOf(row.input) ?? null),
  };
}

/** How an address takes part in a transfer or a transaction. */
export function directionOf({ from, to }: { from: string; to: string | null }, wallet: string) {
  if (from === to) return "self";
  return from === wallet ? "send" : "receive";
}

/** The native coins that the transaction itself moves; a failed one moves none. */
function nativeTransfers(
  { from, to, contract, value, status }: TransactionRow,
  wallet: string,
  symbol: string,
) {
  if (BigInt(value) === 0n || status === 0) return [];
  const receiver = to ?? contract;
  if (from !== wallet && receiver !== wallet) return [];
  return [nativeTransfer({ from, to: receiver, value }, wallet, symbol, false)];
}

function nativeTransfer(
  { from, to, value }: { from: string; to: string | null; value: string },
  wallet: string,
  symbol: string,
  isInternal: boolean,
) {
  return {
    from_address: from,
    to_address: to,
    value,
    value_formatted: formatEther(BigInt(value)),
    direction: directionOf({ from, to }, wallet),
    internal_transaction: isInternal,
    token_symbol: symbol,
  } as const;
}

function erc20Transfer(
  chain: ChainContext,
  row: Erc20Transfer,
  wallet: string,
  token: TokenMetadata | undefined,
) {
  const { logo, ...labels } = erc20Labels(chain, row.token, token);
  return {
    address: row.token,
    token_name: token?.name ?? "",
    token_symbol: token?.symbol ?? "",
    token_logo: logo,
    token_decimals: typeof token?.decimals === "number" ? String(token.decimals) : null,
    ...labels,
    from_address: row.from,
    to_address: row.to,
    direction: directionOf(row, wallet),
    log_index: indexOf(row.position),
    value: row.value,
    value_formatted: formatUnits(BigInt(row.value), token?.decimals ?? 0),
  } as const;
}

function nftTransfer(
  chain: ChainContext,
  row: NftTransferRow,
  wallet: string,
  token: TokenMetadata | undefined,
) {
  return {
    token_address: row.token,
    token_id: BigInt(row.tokenId).toString(),
    name: token?.name ?? "",
    symbol: token?.symbol ?? "",
    contract_type: contractType(row.standard),
    amount: row.amount,
    ...collectionLabels(chain, row.token, token),
    collection_logo: chain.labels.of(row.token).logo,
    from_address: row.from,
    to_address: row.to,
    direction: directionOf(row, wallet),
    log_index: indexOf(row.position),
  } as const;
}

function approvalChange(approval: LoggedApproval, token: TokenMetadata | undefined) {
  return {
    approval_type: approvalType(approval.kind),
    token_address: approval.token,
    token_name: token?.name ?? "",
    token_symbol: token?.symbol ?? "",
    token_id: approval.tokenId === null ? null : BigInt(approval.tokenId).toString(),
    spender_address: approval.spender,
    ...allowanceFields(approval.value, token?.decimals ?? 0),
    is_revoked: approval.isRevoked,
    log_index: indexOf(approval.position),
  };
}

function nftSale(sale: TradeRow, coinSymbol: string, metadata: ReadonlyMap<string, TokenMetadata>) {
  const price = BigInt(sale.price);
  const token = sale.priceToken === null ? undefined : metadata.get(sale.priceToken);
  const decimals = sale.priceToken === null ? 18 : token?.decimals;
  return {
    token_address: sale.token,
    token_ids: sale.tokenIds,
    seller_address: sale.seller,
    buyer_address: sale.buyer,
    marketplace_address: sale.marketplace,
    price: price.toString(),
    price_formatted: typeof decimals === "number" ? formatUnits(price, decimals) : null,
    price_token_address: sale.priceToken,
    price_symbol: sale.priceToken === null ? coinSymbol : (token?.symbol ?? ""),
  };
}

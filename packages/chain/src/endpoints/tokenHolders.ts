import { formatUnits } from "viem";
import { invalid, notFound } from "../model/requestErrors.ts";
import { RpcError } from "../node/rpcErrors.ts";
import { getTotalSupply } from "../node/tokens.ts";
import type { Erc20Holder } from "../store/erc20Balances.ts";
import type { HolderCounter } from "../store/holderCounter.ts";
import {
  type ChainContext,
  requireSynced,
  type SelectChain,
  selectFullIndex,
  withNodeErrors,
} from "./chainContext.ts";
import { ContractCreations } from "./contractCreations.ts";
import { keptFields, withKeptEvents } from "./eventRetention.ts";
import type { Cursor } from "./pageParameters.ts";
import { firstRows, isoTime, pageFields } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** Lengths of intervals, in s. */
const INTERVALS = { "1h": 3_600, "4h": 14_400, "12h": 43_200, "1d": 86_400, "1w": 604_800 } as const;
const MAX_INTERVALS = 100;

/** Owners of ERC-20 tokens with their shares, and sums over them. */
export function tokenHolderHandlers(selectChain: SelectChain, holderCounter: HolderCounter) {
  const creations = new ContractCreations();
  return {
    getTokenOwners: async ({ chain: selector, address, order, limit, cursor }) => {
      const chain = await selectFullIndex(selectChain, selector, "the owners of a token");
      const { erc20Balances } = chain.store;
      const [found, { holders }, supply, decimals] = await Promise.all([
        // One extra row shows whether there is a next page.
        erc20Balances.listHolders(address, {
          after: cursor && holderOf(cursor),
          ascending: order === "asc",
          limit: limit + 1,
        }),
        erc20Balances.totals(address),
        readSupply(chain, address),
        readDecimals(chain, address),
      ]);
      if (holders === 0) requireSynced(chain);
      const { rows, last } = firstRows(found, limit);
      return {
        total: holders,
        ...pageFields({ limit, cursor }, last && [`0x${last.balance.toString(16)}`, last.owner]),
        total_supply: supply.amount.toString(),
        result: rows.map(({ owner, balance }) => ({
          owner_address: owner,
          owner_address_label: null,
          entity: null,
          entity_logo: null,
          is_contract: null,
          balance: balance.toString(),
          balance_formatted: decimals === null ? null : formatUnits(balance, decimals),
          usd_value: null,
          percentage_relative_to_total_supply: percentage(balance, supply.amount),
          ...(supply.isCalculated && { calculated_from_transfers: true }),
        })),
      };
    },
    getHistoricalTokenHolders: async ({ chain: selector, address, fromDate, toDate, timeFrame }) => {
      const chain = await selectFullIndex(selectChain, selector, "the holders of a token");
      requireSynced(chain);
      const end = Math.min(toDate ?? Number.POSITIVE_INFINITY, Math.floor(Date.now() / 1000));
      if (fromDate > end) throw invalid("fromDate must not be later than toDate");
      const interval = INTERVALS[timeFrame];
      const count = Math.floor((end - fromDate) / interval) + 1;
      if (count > MAX_INTERVALS)
        throw invalid(`timeFrame is too short: the range has more than ${MAX_INTERVALS} intervals`);
      // One more shows the change within the first interval.
      const times = Array.from({ length: count + 1 }, (_, i) => end - i * interval);
      const blocks = await Promise.all(times.map((time) => chain.store.blockBefore(time)));
      const numbers = blocks.map((block) => block?.number ?? -1);
      const holders = await withKeptEvents(chain, (numbers.at(-1) ?? -1) + 1, "the holders of a token", () =>
        holderCounter.count(chain.store, address, numbers),
      );
      return {
        result: times.slice(0, count).map((time, i) => {
          const [total = 0, before = 0] = holders.slice(i, i + 2);
          return {
            timestamp: isoTime(time),
            totalHolders: total,
            netHolderChange: total - before,
            holderPercentChange: before === 0 ? 0 : ((total - before) / before) * 100,
          };
        }),
      };
    },
    getTokenStats: async ({ chain: selector, address }) => {
      const chain = await selectFullIndex(selectChain, selector, "the statistics of a token");
      const [{ holders }, transfers, supply, decimals, creation] = await Promise.all([
        chain.store.erc20Balances.totals(address),
        chain.store.erc20Transfers({ token: address }, { offset: 0, limit: 0, withTotal: true }),
        readSupply(chain, address),
        readDecimals(chain, address),
        creations.find(chain, address),
      ]);
      if (transfers.total === 0 && holders === 0) {
        requireSynced(chain);
        throw notFound(`${address} is not an ERC-20 token with transfers`);
      }
      return {
        token_address: address,
        holders: { total: holders },
        transfers: { total: transfers.total ?? 0 },
        total_supply: supply.amount.toString(),
        total_supply_formatted: decimals === null ? null : formatUnits(supply.amount, decimals),
        creator_address: creation?.creator ?? null,
        creation_block_number: creation ? String(creation.block) : null,
        creation_transaction_hash: creation?.transactionHash ?? null,
        ...(supply.isCalculated && { calculated_from_transfers: true }),
        ...(await keptFields(chain)),
      };
    },
  } satisfies Partial<Handlers>;
}

/**
 * The total supply at the latest indexed block. It is calculated if the contract returns another value than minted
 * minus burned amounts: then balances, too, change without transfers, or the node has no state of the block.
 */
async function readSupply(
  chain: ChainContext,
  token: string,
): Promise<{ amount: bigint; isCalculated: boolean }> {
  const { indexed } = chain.status();
  const { supply } = await chain.store.erc20Balances.totals(token);
  const reported = await withNodeErrors(chain, undefined, async () => {
    try {
      return await getTotalSupply(chain.node, token, indexed ?? "latest");
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  });
  return { amount: reported ?? supply, isCalculated: reported !== supply };
}

async function readDecimals(chain: ChainContext, token: string): Promise<number | null> {
  return (await loadTokenMetadata(chain, [token], 20)).get(token)?.decimals ?? null;
}

/** Share in percent; 0 without a supply. */
function percentage(balance: bigint, supply: bigint): number {
  return supply > 0n ? Number((balance * 10n ** 18n) / supply) / 1e16 : 0;
}

function holderOf({ parts: [balance, owner] }: Cursor): Erc20Holder {
  if (typeof balance === "string" && typeof owner === "string" && owner.length === 42)
    return { balance: BigInt(balance), owner };
  throw invalid("cursor is not valid for this list");
}

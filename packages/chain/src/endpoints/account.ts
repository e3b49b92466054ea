import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { ChainNode } from "../node/chainNode.ts";
import { LyingNode, RpcError, RpcUnreachable } from "../node/rpc.ts";
import type { ChainStore, Erc20TransferRow } from "../store/chainStore.ts";
import type { ChainConfig, ChainStatus, Route } from "../types.ts";
import { cursorText, invalid, type Parameters, readParameters } from "./parameters.ts";
import { endpointOf } from "./table.ts";
import { readBalances, readTokens } from "./tokens.ts";

/** One chain as endpoints see it. */
export interface FollowedChain {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  status(): ChainStatus;
  /** Lets a question that comes just after the start wait for the first blocks, for a moment. */
  firstLook(): Promise<void>;
}

const MAX_TOKENS = 5_000;

/** What a wallet has and what it has moved. */
export function accountRoutes(chainOf: (selector: unknown) => FollowedChain): Route[] {
  return [
    { method: "GET", path: "/:address/balance", functionName: "getNativeBalance", run: nativeBalance },
    { method: "GET", path: "/:address/erc20", functionName: "getTokenBalances", run: tokenBalances },
    {
      method: "GET",
      path: "/:address/erc20/transfers",
      functionName: "getTokenTransfers",
      run: tokenTransfers,
    },
  ];

  /** `{balance}` in wei, decimal. */
  async function nativeBalance(given: Parameters): Promise<JsonValue> {
    const { address, to_block: block, ...where } = readParameters(endpointOf("getNativeBalance"), given);
    const chain = chainOf(where.chain);
    const balance = await asked(chain, block, () => chain.node.balance(address, block ?? "latest"));
    return { balance: balance.toString() };
  }

  /** A row for each token that the wallet holds some of; `balance` in the token's smallest unit, decimal. */
  async function tokenBalances(given: Parameters): Promise<JsonValue> {
    const parameters = readParameters(endpointOf("getTokenBalances"), given);
    const { address, to_block: asOf, token_addresses: wanted } = parameters;
    const chain = chainOf(parameters.chain);
    const tokens = wanted ?? (await tokensOf(chain, address));
    const balances = await asked(chain, asOf, async () => {
      // All at one block: what moves meanwhile must not be counted twice or not at all.
      const block = asOf ?? (await chain.node.headNumber());
      return readBalances(chain.node, address, tokens, block);
    });
    const held = tokens.flatMap((token, i) => {
      const balance = balances[i];
      return balance ? [{ token, balance }] : [];
    });
    const about = await asked(chain, undefined, () =>
      readTokens(
        chain,
        held.map(({ token }) => token),
      ),
    );
    return held.map(({ token, balance }): JsonObject => {
      const { name, symbol, decimals } = about.get(token) ?? {};
      const row = {
        token_address: token,
        name: name ?? "",
        symbol: symbol ?? "",
        logo: null,
        thumbnail: null,
      };
      return { ...row, decimals: decimals ?? 0, balance: balance.toString() };
    });
  }

  /** Newest first, by cursor (stable while blocks arrive) or offset. */
  async function tokenTransfers(given: Parameters): Promise<JsonValue> {
    const parameters = readParameters(endpointOf("getTokenTransfers"), given);
    const { address, limit, cursor } = parameters;
    const chain = chainOf(parameters.chain);
    const offset = cursor ? 0 : parameters.offset;
    await chain.firstLook();
    const query = {
      chainId: chain.config.id,
      address,
      fromBlock: parameters.from_block,
      toBlock: parameters.to_block,
      fromTime: parameters.from_block === undefined ? parameters.from_date : undefined,
      toTime: parameters.to_block === undefined ? parameters.to_date : undefined,
      after: cursor && placeOf(cursor.parts),
      offset,
      // One more than asked tells whether there is a next page.
      limit: limit + 1,
    };
    const [rows, total] = await Promise.all([
      chain.store.transfersOf(query),
      chain.store.countTransfersOf(query),
    ]);
    // From an index that is not yet complete, some rows are news and no row is not.
    if (total === 0 && (query.toBlock ?? Infinity) > (chain.status().indexed ?? -1)) assertIndexed(chain);
    const page = cursor ? cursor.page : Math.floor(offset / limit);
    const result = rows.slice(0, limit);
    const last = rows.length > limit ? result.at(-1) : undefined;
    const next = last ? cursorText([last.block_number, last.log_index], page + 1) : "";
    return { total, page, page_size: limit, cursor: next, result: result.map(transferObject) };
  }
}

function placeOf([blockNumber, logIndex, ...more]: readonly number[]) {
  if (blockNumber !== undefined && logIndex !== undefined && more.length === 0)
    return { blockNumber, logIndex };
  throw invalid("cursor is not one that this server has given");
}

function transferObject(row: Erc20TransferRow): JsonObject {
  return {
    transaction_hash: row.transaction_hash,
    address: row.token,
    block_timestamp: new Date(row.timestamp * 1000).toISOString(),
    block_number: String(row.block_number),
    block_hash: row.block_hash,
    to_address: row.to_address,
    from_address: row.from_address,
    value: row.value,
  };
}

/** "Don't know" is not an empty list: before the index has reached the head there is no answer from it. */
function assertIndexed(chain: FollowedChain): void {
  const { state, indexed, head, lag, error } = chain.status();
  if (head === null && state !== "refused")
    throw unavailable(chain, `no node of it answers (${error ?? "none has so far"})`);
  if (state === "unreachable" && lag !== 0)
    throw unavailable(chain, `no node of it answers, and it is not yet indexed to the end (${error})`);
  if (state === "refused") throw unavailable(chain, `its node is refused (${error})`);
  if (state === "syncing") {
    throw unavailable(chain, `it is still being indexed (block ${indexed ?? 0} of ${head}): ask again later`);
  }
}

/** The tokens that a wallet has ever received. */
async function tokensOf(chain: FollowedChain, address: string): Promise<string[]> {
  await chain.firstLook();
  assertIndexed(chain);
  const tokens = await chain.store.tokensReceivedBy(chain.config.id, address, MAX_TOKENS + 1);
  if (tokens.length <= MAX_TOKENS) return tokens;
  throw invalid(
    `address has received more than ${MAX_TOKENS} tokens: name those you want in token_addresses`,
  );
}

/** What a node cannot answer is said in words: as the caller's fault only where the caller chose the block. */
async function asked<T>(chain: FollowedChain, block: number | undefined, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcUnreachable) throw unavailable(chain, `no node of it answers (${error.message})`);
    if (error instanceof LyingNode) throw unavailable(chain, `its node is refused (${error.message})`);
    if (error instanceof RpcError) {
      const message = `the node of chain "${chain.config.name}" cannot answer this: ${error.message.slice(0, 200)}`;
      if (block === undefined) throw new ProtocolError(ErrorCode.CONNECTION_FAILED, message, 503);
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
    }
    throw error;
  }
}

function unavailable(chain: FollowedChain, why: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.CONNECTION_FAILED,
    `chain "${chain.config.name}" cannot be asked: ${why}`,
    503,
  );
}

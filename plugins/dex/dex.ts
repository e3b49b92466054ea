import type { Plugin, PluginFunction, PluginTrigger } from "@purse/server";
import { type Abi, type Address, encodeFunctionData, parseAbi } from "viem";
import { chainNamed, DEX_CHAINS, type DexChain } from "./exchanges.ts";

/*
 * Swaps tokens on decentralized exchanges: `Moralis.Plugins.dex.quote(…)` returns the best quote,
 * `.swap(…)` sends the swap by the caller's wallet. Everything is read by the server's own data endpoints, and nothing is
 * signed here.
 */

/** Represents the native currency. */
const NATIVE_CURRENCY = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";
const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_SLIPPAGE = 50;
/** Deadline of a swap, in s. */
const DEADLINE_SECONDS = 1_200;

const v2Abi = parseAbi([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
]);
const v3Abi = parseAbi([
  "struct Swap { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Swap params) payable returns (uint256 amountOut)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
  "function multicall(bytes[] data) payable returns (bytes[] results)",
]);
// The quoter is not a view function, but it is only called with eth_call.
const quoterAbi = parseAbi([
  "function quoteExactInputSingle(address tokenIn, address tokenOut, uint24 fee, uint256 amountIn, uint160 sqrtPriceLimitX96) view returns (uint256 amountOut)",
]);
const erc20Abi = parseAbi(["function approve(address spender, uint256 amount)"]);

interface SwapOrder {
  chain: DexChain;
  from: Address;
  to: Address;
  /** In the smallest unit of `from`. */
  amount: bigint;
}

/** A route with its output amount. */
interface Quote {
  exchange: string;
  router: Address;
  /** The fee tier of a v3 pool; undefined for a v2 path. */
  fee: number | undefined;
  path: Address[];
  amountOut: bigint;
}

/** Creates the plugin for the given chains; defaults to the known ones. */
export function dexPlugin(chains: readonly DexChain[] = DEX_CHAINS): Plugin {
  const quote: PluginFunction = async ({ params }) => {
    const order = orderOf(chains, params);
    return { data: await describeQuote(order, await bestQuote(order)) };
  };
  const swap: PluginFunction = async ({ params }) => {
    const order = orderOf(chains, params);
    const owner = addressOf(params, "fromAddress");
    const slippage = slippageOf(params.slippage);
    const quote = await bestQuote(order);
    const minAmountOut = (quote.amountOut * BigInt(Math.round((100 - slippage) * 1e6))) / 100_000_000n;
    const deadline = BigInt(Math.floor(Date.now() / 1000) + DEADLINE_SECONDS);
    const transaction: PluginTrigger = {
      name: "web3Transaction",
      shouldAwait: true,
      shouldReturnResponse: true,
      data: {
        from: owner,
        to: quote.router,
        value: isNativeCurrency(order.from) ? order.amount.toString() : "0",
        data: swapCall(order, quote, { owner, minAmountOut, deadline }),
      },
    };
    const data = { ...(await describeQuote(order, quote)), minimumAmount: minAmountOut.toString() };
    return { data, triggers: [...(await approvals(order, owner, quote.router)), transaction] };
  };
  return { name: "dex", functions: { quote, swap } };
}

export default dexPlugin();

async function bestQuote(order: SwapOrder): Promise<Quote> {
  const { chain, amount } = order;
  const wrapped = hexOf(chain.wrappedNative);
  const [tokenIn, tokenOut] = [asToken(order.from, wrapped), asToken(order.to, wrapped)];
  if (tokenIn === tokenOut) throw new Error("fromTokenAddress and toTokenAddress must be two tokens");
  const direct = [tokenIn, tokenOut];
  const paths = direct.includes(wrapped) ? [direct] : [direct, [tokenIn, wrapped, tokenOut]];
  const requests = [
    ...chain.v2.flatMap(({ name, router }) =>
      paths.map(async (path): Promise<Quote | undefined> => {
        const params = { amountIn: amount.toString(), path };
        const amounts = await callContract(chain, router, v2Abi, "getAmountsOut", params);
        const amountOut = Array.isArray(amounts) ? parseUint256(amounts.at(-1)) : undefined;
        return amountOut
          ? { exchange: name, router: hexOf(router), fee: undefined, path, amountOut }
          : undefined;
      }),
    ),
    ...chain.v3.flatMap(({ name, router, quoter, feeTiers }) =>
      feeTiers.map(async (fee): Promise<Quote | undefined> => {
        const params = { tokenIn, tokenOut, fee, amountIn: amount.toString(), sqrtPriceLimitX96: "0" };
        const amountOut = parseUint256(
          await callContract(chain, quoter, quoterAbi, "quoteExactInputSingle", params),
        );
        return amountOut
          ? { exchange: name, router: hexOf(router), fee, path: direct, amountOut }
          : undefined;
      }),
    ),
  ];
  const quotes = (await Promise.all(requests)).filter((quote) => quote !== undefined);
  const [best] = quotes.sort((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
  if (best) return best;
  throw new Error("No pool exchanges these tokens in this amount");
}

/** Calls a contract; returns undefined if it reverts, which for routers means that there is no such pool. */
async function callContract(
  chain: DexChain,
  address: string,
  abi: Abi,
  function_name: string,
  params: Record<string, unknown>,
): Promise<unknown> {
  try {
    const call = { chain: `0x${chain.id.toString(16)}`, address, function_name, abi, params };
    return await Parse.Cloud.run<unknown>("runContractFunction", call);
  } catch (error) {
    if (error instanceof Error && /reverted|returned no data/.test(error.message)) return undefined;
    throw error;
  }
}

async function describeQuote({ chain, from, to, amount }: SwapOrder, quote: Quote) {
  const tokens = [from, to].filter((token) => !isNativeCurrency(token));
  const found = await Parse.Cloud.run<unknown>("getTokenMetadata", {
    chain: `0x${chain.id.toString(16)}`,
    addresses: tokens,
  });
  const metadata: unknown[] = Array.isArray(found) ? found : [];
  const describeToken = (token: Address) => {
    const tokenMetadata = Object(metadata.find((each) => Object(each).address === token));
    return isNativeCurrency(token)
      ? { address: token, name: "", symbol: "", decimals: 18 }
      : {
          address: token,
          name: tokenMetadata.name,
          symbol: tokenMetadata.symbol,
          decimals: Number(tokenMetadata.decimals),
        };
  };
  return {
    fromToken: describeToken(from),
    toToken: describeToken(to),
    fromTokenAmount: amount.toString(),
    toTokenAmount: quote.amountOut.toString(),
    exchange: quote.exchange,
    router: quote.router,
    path: quote.path,
    ...(quote.fee !== undefined && { fee: quote.fee }),
  };
}

/** The transactions that approve exactly the swapped amount for the router. */
async function approvals(
  { chain, from, amount }: SwapOrder,
  owner: Address,
  spender: Address,
): Promise<PluginTrigger[]> {
  if (isNativeCurrency(from)) return [];
  const answer = await Parse.Cloud.run<unknown>("getTokenAllowance", {
    chain: `0x${chain.id.toString(16)}`,
    address: from,
    owner_address: owner,
    spender_address: spender,
  });
  const allowed = parseUint256(Object(answer).allowance) ?? 0n;
  if (allowed >= amount) return [];
  const approve = (units: bigint): PluginTrigger => ({
    name: "web3Transaction",
    shouldAwait: true,
    data: {
      from: owner,
      to: from,
      value: "0",
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, units] }),
    },
  });
  // Some tokens only allow changing an allowance from zero.
  return allowed === 0n ? [approve(amount)] : [approve(0n), approve(amount)];
}

function swapCall(
  { from, to, amount }: SwapOrder,
  { fee, path }: Quote,
  { owner, minAmountOut, deadline }: { owner: Address; minAmountOut: bigint; deadline: bigint },
): string {
  const [tokenIn, tokenOut] = [path[0] ?? ZERO_ADDRESS, path.at(-1) ?? ZERO_ADDRESS];
  if (fee !== undefined) {
    // The zero address makes the router keep the wrapped tokens, to unwrap them.
    const recipient = isNativeCurrency(to) ? ZERO_ADDRESS : owner;
    const limits = { deadline, amountIn: amount, amountOutMinimum: minAmountOut, sqrtPriceLimitX96: 0n };
    const args = [{ tokenIn, tokenOut, fee, recipient, ...limits }] as const;
    const single = encodeFunctionData({ abi: v3Abi, functionName: "exactInputSingle", args });
    if (!isNativeCurrency(to)) return single;
    const unwrap = encodeFunctionData({
      abi: v3Abi,
      functionName: "unwrapWETH9",
      args: [minAmountOut, owner],
    });
    return encodeFunctionData({ abi: v3Abi, functionName: "multicall", args: [[single, unwrap]] });
  }
  if (isNativeCurrency(from)) {
    const args = [minAmountOut, path, owner, deadline] as const;
    return encodeFunctionData({ abi: v2Abi, functionName: "swapExactETHForTokens", args });
  }
  const functionName = isNativeCurrency(to) ? "swapExactTokensForETH" : "swapExactTokensForTokens";
  return encodeFunctionData({
    abi: v2Abi,
    functionName,
    args: [amount, minAmountOut, path, owner, deadline],
  });
}

/** Parses the parameters. Throws Error with a user-facing message. */
function orderOf(chains: readonly DexChain[], params: Record<string, unknown>): SwapOrder {
  const chain = chainNamed(chains, params.chain);
  if (!chain)
    throw new Error(
      `No exchange is known on this chain: known are ${chains.map(({ names: [name] }) => name).join(", ")}`,
    );
  const amount = parseUint256(params.amount);
  if (!amount) throw new Error("amount must be a whole number above 0, in the token's smallest unit");
  return {
    chain,
    from: addressOf(params, "fromTokenAddress"),
    to: addressOf(params, "toTokenAddress"),
    amount,
  };
}

function addressOf(params: Record<string, unknown>, name: string): Address {
  const value = params[name];
  if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value)) return hexOf(value.toLowerCase());
  throw new Error(`${name} must be an address: 0x and 40 hexadecimal digits`);
}

/** In percent. */
function slippageOf(value: unknown): number {
  const slippage = value === undefined ? 1 : Number(value);
  if (slippage >= 0 && slippage <= MAX_SLIPPAGE) return slippage;
  throw new Error(`slippage must be a number of percent from 0 to ${MAX_SLIPPAGE}`);
}

/** A uint256; undefined for anything else. */
function parseUint256(value: unknown): bigint | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !/^\d{1,78}$/.test(text)) return undefined;
  const whole = BigInt(text);
  return whole <= MAX_UINT256 ? whole : undefined;
}

function isNativeCurrency(token: Address): boolean {
  return token === NATIVE_CURRENCY;
}

function asToken(token: Address, wrapped: Address): Address {
  return isNativeCurrency(token) ? wrapped : token;
}

function hexOf(text: string): Address {
  return `0x${text.slice(2)}`;
}

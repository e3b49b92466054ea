/*
 * What the blocks of the simulated chain contain: numbers of wallets and tokens by the number of an event, the same in
 * TypeScript (for the indexer's writer) and in SQL (for rows that the database generates). All arithmetic is on integers
 * and on products of doubles, so that both give the same rows.
 */
import { hash } from "node:crypto";
import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { addressTopic } from "../../../packages/chain/src/model/topics.ts";

/** Per block. */
export const TRANSFERS = 200;
export const TRANSACTIONS = 40;
export const INTERNAL_TRANSFERS = 4;
export const APPROVALS = 2;
/** Each block mints one NFT and moves it once. */
export const NFT_TRANSFERS = 2;
/** Every so many blocks have a sale of the block's NFT, a user operation, and a transfer of an ERC-1155 item. */
export const RARE_BLOCKS = 5;

/** Indexes of logs in their block. */
export const LOG_INDEX = { nft: 200, approval: 210, operation: 220, item: 225, sale: 230 } as const;
export const OPERATION_INDEX = TRANSACTIONS;

const WALLETS = 2_000_000;
const TOKENS = 20_000;
const COLLECTIONS = 2_000;
/** Wallets that trade all tokens. */
const EXCHANGES = 20;
/** Blocks that a rare wallet and a rare token appear in. */
const SPAN_BLOCKS = 50;
/** Owners of the most held token, and how fast their number falls. */
const [MAX_OWNERS, OWNER_STEP, MIN_OWNERS] = [1_500_000, 15, 50] as const;

export const GENESIS_TIME = 1_600_000_000;
export const SECONDS_PER_BLOCK = 12;
export const ITEM_ID = 7;
/** Larger amounts would not stay exact in sums of all transfers of a token. */
const MAX_AMOUNT = 1_000_000_000;

/** How a number is computed from others; as a number, or as SQL. */
export interface Arithmetic<N> {
  constant(value: number): N;
  plus(a: N, b: N): N;
  times(a: N, b: number): N;
  /** Without the remainder. */
  divided(a: N, b: N): N;
  modulo(a: N, b: number): N;
  /** A number below `count` from `n`; the smaller, the more frequent with a power above 1. */
  skewed(count: N, n: N, stream: number, power: number): N;
  /** `then` if `a` equals `b`. */
  ifEqual(a: N, b: number, then: N, otherwise: N): N;
}

/** Odd multipliers; their multiples modulo 2^32 are evenly distributed. */
const MULTIPLIERS = [
  1_640_531_527, 1_013_904_223, 747_796_405, 1_103_515_245, 1_812_433_253, 69_069_069, 1_566_083_941,
  277_803_737, 668_265_263, 374_761_393, 1_274_126_177, 1_597_334_677,
] as const;
export const multiplierOf = (stream: number) => MULTIPLIERS[stream] ?? 1;

/** The numbers of what an event concerns. */
export function createShape<N>(is: Arithmetic<N>) {
  const wallets = is.constant(WALLETS);
  const exchange = (n: N, stream: number) => is.skewed(is.constant(EXCHANGES), n, stream, 2);
  const any = (n: N, stream: number) => is.skewed(wallets, n, stream, 3);
  const rareWallet = (block: N) => is.plus(is.divided(block, is.constant(SPAN_BLOCKS)), wallets);
  /** The block within the span of a rare wallet. */
  const inSpan = (block: N) => is.modulo(block, SPAN_BLOCKS);
  const owners = (token: N) =>
    is.plus(
      is.divided(is.constant(MAX_OWNERS), is.plus(token, is.constant(OWNER_STEP))),
      is.constant(MIN_OWNERS),
    );
  /** Each token has its own part of all wallets as owners. */
  const owner = (token: N, n: N, stream: number) =>
    is.modulo(is.plus(is.skewed(owners(token), n, stream, 3), is.times(token, 7_919)), WALLETS);
  const blockOfTransfer = (n: N) => is.divided(n, is.constant(TRANSFERS));
  return {
    /** The token of an ERC-20 transfer. */
    token: (n: N) =>
      is.ifEqual(
        is.modulo(n, 1_000),
        8,
        is.plus(is.divided(blockOfTransfer(n), is.constant(SPAN_BLOCKS)), is.constant(TOKENS)),
        is.skewed(is.constant(TOKENS), n, 0, 4),
      ),
    from: (n: N, token: N) =>
      is.ifEqual(
        is.modulo(n, 1_000),
        7,
        rareWallet(blockOfTransfer(n)),
        is.ifEqual(is.modulo(n, 8), 4, exchange(n, 1), owner(token, n, 2)),
      ),
    to: (n: N, token: N) => is.ifEqual(is.modulo(n, 8), 0, exchange(n, 3), owner(token, n, 4)),
    amount: (n: N) => is.plus(is.skewed(is.constant(MAX_AMOUNT), n, 5, 1), is.constant(1)),
    sender: (n: N) =>
      is.ifEqual(
        is.modulo(n, TRANSACTIONS * SPAN_BLOCKS),
        3,
        rareWallet(is.divided(n, is.constant(TRANSACTIONS))),
        is.ifEqual(is.modulo(n, 20), 0, exchange(n, 6), any(n, 7)),
      ),
    called: (n: N) => is.skewed(is.constant(TOKENS), n, 8, 4),
    coinReceiver: (n: N) => is.ifEqual(is.modulo(n, 10), 0, exchange(n, 6), any(n, 7)),
    collection: (block: N) => is.skewed(is.constant(COLLECTIONS), block, 9, 3),
    minter: (block: N) => is.ifEqual(is.modulo(block, 4), 0, exchange(block, 10), any(block, 10)),
    collector: (block: N) =>
      is.ifEqual(
        inSpan(block),
        25,
        rareWallet(block),
        is.ifEqual(is.modulo(block, 4), 2, exchange(block, 11), any(block, 11)),
      ),
    itemReceiver: (block: N) => any(block, 6),
    account: (block: N) =>
      is.ifEqual(
        inSpan(block),
        10,
        rareWallet(block),
        is.ifEqual(is.modulo(block, 10), 0, exchange(block, 10), any(block, 10)),
      ),
  };
}

/** With numbers. */
const NUMBERS: Arithmetic<number> = {
  constant: (value) => value,
  plus: (a, b) => a + b,
  times: (a, b) => a * b,
  divided: (a, b) => Math.floor(a / b),
  modulo: (a, b) => a % b,
  skewed(count, n, stream, power) {
    const fraction = (Math.imul(n, multiplierOf(stream)) >>> 0) / 2 ** 32;
    let product = count;
    for (let i = 0; i < power; i++) product *= fraction;
    return Math.floor(product);
  },
  ifEqual: (a, b, then, otherwise) => (a === b ? then : otherwise),
};
export const shape = createShape(NUMBERS);

/** What has an address or a hash. */
export type Kind =
  | "wallet"
  | "token"
  | "collection"
  | "transaction"
  | "block"
  | "operation"
  | "account"
  | "input"
  | "other";

/** 32 bytes without regularities that could be compressed. */
export const wordOf = (kind: Kind, n: number) => `0x${hash("sha256", `${kind}${n}`)}`;
export const addressOf = (kind: Kind, n: number) => wordOf(kind, n).slice(0, 42);

export const FIXED = {
  items: addressOf("other", 1),
  marketplace: addressOf("other", 2),
  entryPoint: addressOf("other", 3),
  bundler: addressOf("other", 4),
} as const;

/** Numbers of frequent wallets, tokens and collections, and of rare ones in the middle of the chain. */
export function examples(blocks: number) {
  const span = Math.floor(blocks / 2 / SPAN_BLOCKS);
  return {
    frequent: {
      wallet: addressOf("wallet", 0),
      token: addressOf("token", 0),
      collection: addressOf("collection", 0),
    },
    rare: {
      wallet: addressOf("wallet", WALLETS + span),
      token: addressOf("token", TOKENS + span),
      collection: addressOf("collection", COLLECTIONS - 1),
    },
  };
}

/** The input of a transaction with a user operation: what precedes sender and nonce, and what follows them. */
export const OPERATION_INPUT = splitOperation();

function splitOperation(): { before: string; after: string } {
  const [sender, nonce] = [addressOf("wallet", 0), 2n ** 255n + 7n];
  const half = "1".padStart(32, "0");
  const hex = (address: string): `0x${string}` => `0x${address.slice(2)}`;
  const transfer = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [hex(FIXED.bundler), 1n],
  });
  const input = encodeFunctionData({
    abi: parseAbi([
      "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
      "function handleOps(Operation[] operations, address beneficiary)",
    ]),
    args: [
      [
        {
          sender: hex(sender),
          nonce,
          initCode: "0x",
          callData: encodeFunctionData({
            abi: parseAbi(["function execute(address to, uint256 value, bytes data)"]),
            args: [hex(addressOf("token", 0)), 0n, transfer],
          }),
          accountGasLimits: `0x${half}${half}`,
          preVerificationGas: 50_000n,
          gasFees: `0x${half}${half}`,
          paymasterAndData: "0x",
          signature: `0x${"5a".repeat(65)}`,
        },
      ],
      hex(FIXED.bundler),
    ],
  });
  const [before = "", after = ""] = input.split(addressTopic(sender).slice(2) + nonce.toString(16));
  return { before, after: `0x${after}` };
}

import { type Address, zeroAddress } from "viem";

/**
 * A transfer for TrafficGenerator; `kind` 0 to 2 is a coin, 3 a piece, from 4 an item and the next `kind - 4` items.
 */
interface Transfer {
  kind: number;
  /** The zero address mints. */
  from: Address;
  /** The zero address burns. */
  to: Address;
  id: bigint;
  amount: bigint;
}

/** Balances by wallet, without zero balances. */
export type Balances = Map<Address, bigint>;

export const coinDecimals = [18, 6, 0];
const pieceKind = 3;
const itemKind = 4;
/** Items have sets of three ids, for batch transfers. */
const itemSets = 20;
const setSize = 3;
const maxRecentReceipts = 100;

/** `count` items of one wallet, with consecutive ids from `id`. */
interface Items {
  holder: Address;
  id: bigint;
  count: number;
}

/** Generates valid transfers deterministically from a seed and tracks the resulting balances. */
export interface TrafficLedger {
  coins: Balances[];
  /** Owners of pieces by id. */
  pieces: Map<bigint, Address>;
  /** Balances of items by id. */
  items: Map<bigint, Balances>;
  nextTransfer(): Transfer;
  /** A random integer from 0 to below `end`. */
  randomInteger(end: number): number;
}

export function trafficLedger(seed: number, wallets: Address[]): TrafficLedger {
  const random = mulberry32(seed);
  const coins = coinDecimals.map((): Balances => new Map());
  const pieces = new Map<bigint, Address>();
  const pieceIds: bigint[] = [];
  const items = new Map<bigint, Balances>();
  const recentReceipts: Items[] = [];
  let receiptCount = 0;
  let minted = 0n;

  const randomInteger = (end: number): number => Math.floor(random() * end);
  const wallet = (): Address => wallets[randomInteger(wallets.length)] ?? zeroAddress;
  /** Usually another wallet, sometimes none (burn) or the sender itself. */
  const receiver = (from: Address): Address => {
    const chance = randomInteger(100);
    return chance < 5 ? zeroAddress : chance < 7 ? from : wallet();
  };
  /** A random share of a balance, up to all of it. */
  const randomShare = (held: bigint): bigint => (held * BigInt(1 + randomInteger(1000)) + 999n) / 1000n;

  function coinTransfer(): Transfer {
    const kind = randomInteger(coins.length);
    const balances = coins[kind] ?? new Map();
    const from = wallet();
    const held = balances.get(from) ?? 0n;
    const transfer =
      held === 0n
        ? { from: zeroAddress, to: from, amount: BigInt(1 + randomInteger(1e9)) * unit(kind) }
        : { from, to: receiver(from), amount: randomShare(held) };
    applyTransfer(balances, transfer.from, transfer.to, transfer.amount);
    return { kind, id: 0n, ...transfer };
  }

  /** At least a millionth of a coin, if it has enough decimals. */
  const unit = (kind: number): bigint => 10n ** BigInt(Math.max((coinDecimals[kind] ?? 0) - 6, 0));

  function pieceTransfer(): Transfer {
    const at = randomInteger(pieceIds.length);
    const id = pieceIds[at];
    if (id === undefined || randomInteger(5) < 2) {
      minted += 1n;
      const to = wallet();
      pieceIds.push(minted);
      pieces.set(minted, to);
      return { kind: pieceKind, from: zeroAddress, to, id: minted, amount: 1n };
    }
    const from = pieces.get(id) ?? zeroAddress;
    const to = receiver(from);
    if (to === zeroAddress) {
      pieces.delete(id);
      const last = pieceIds.pop();
      if (last !== undefined && last !== id) pieceIds[at] = last;
    } else {
      pieces.set(id, to);
    }
    return { kind: pieceKind, from, to, id, amount: 1n };
  }

  function itemsTransfer(): Transfer {
    // Few wallets hold items: most senders are chosen among recent receivers.
    const { holder, id, count } =
      (randomInteger(4) > 0 && recentReceipts[randomInteger(recentReceipts.length)]) || pickItems();
    const balances = Array.from({ length: count }, (_, index) => {
      const own = items.get(id + BigInt(index)) ?? new Map();
      items.set(id + BigInt(index), own);
      return own;
    });
    const held = balances.map((own): bigint => own.get(holder) ?? 0n).reduce((a, b) => (a < b ? a : b));
    const transfer =
      held === 0n
        ? { from: zeroAddress, to: holder, amount: BigInt(1 + randomInteger(10_000)) }
        : { from: holder, to: receiver(holder), amount: randomShare(held) };
    for (const own of balances) applyTransfer(own, transfer.from, transfer.to, transfer.amount);
    if (transfer.to !== zeroAddress)
      recentReceipts[receiptCount++ % maxRecentReceipts] = { holder: transfer.to, id, count };
    return { kind: itemKind + count - 1, id, ...transfer };
  }

  function pickItems(): Items {
    const first = BigInt(randomInteger(itemSets) * setSize);
    return randomInteger(3) === 0
      ? { holder: wallet(), id: first, count: setSize }
      : { holder: wallet(), id: first + BigInt(randomInteger(setSize)), count: 1 };
  }

  function nextTransfer(): Transfer {
    const chance = randomInteger(100);
    return chance < 70 ? coinTransfer() : chance < 85 ? pieceTransfer() : itemsTransfer();
  }

  return { coins, pieces, items, nextTransfer, randomInteger };
}

function applyTransfer(balances: Balances, from: Address, to: Address, amount: bigint): void {
  add(balances, from, -amount);
  add(balances, to, amount);
}

function add(balances: Balances, wallet: Address, amount: bigint): void {
  if (wallet === zeroAddress) return;
  const held = (balances.get(wallet) ?? 0n) + amount;
  if (held === 0n) balances.delete(wallet);
  else balances.set(wallet, held);
}

/** Random numbers from 0 to below 1 (Tommy Ettinger's mulberry32), the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

import { type Address, zeroAddress } from "viem";

/** A move as TrafficMaker takes it; `kind` 0 to 2 is a coin, 3 a piece, from 4 an item and `kind - 4` more. */
export interface Move {
  kind: number;
  /** The zero address mints. */
  from: Address;
  /** The zero address burns. */
  to: Address;
  id: bigint;
  amount: bigint;
}

/** Balances by wallet; who holds nothing is not in it. */
export type Balances = Map<Address, bigint>;

export const coinDecimals = [18, 6, 0];
const pieceKind = 3;
const itemKind = 4;
/** Items come in sets of three ids, so that there are batches to move. */
const itemSets = 20;
const setSize = 3;
const receivedKept = 100;

/** `count` items with ids from `id` on, of one wallet. */
interface Items {
  holder: Address;
  id: bigint;
  count: number;
}

/** Makes up moves that the contracts accept, always the same from the same seed, and knows what each wallet then holds. */
export interface TrafficLedger {
  coins: Balances[];
  /** Owners of the pieces by id. */
  pieces: Map<bigint, Address>;
  /** Balances of the items by id. */
  items: Map<bigint, Balances>;
  nextMove(): Move;
  /** A whole number from 0 to below `end`, from the same seed. */
  pick(end: number): number;
}

export function trafficLedger(seed: number, wallets: Address[]): TrafficLedger {
  const random = mulberry32(seed);
  const coins = coinDecimals.map((): Balances => new Map());
  const pieces = new Map<bigint, Address>();
  const pieceIds: bigint[] = [];
  const items = new Map<bigint, Balances>();
  const received: Items[] = [];
  let receipts = 0;
  let minted = 0n;

  const pick = (end: number): number => Math.floor(random() * end);
  const wallet = (): Address => wallets[pick(wallets.length)] ?? zeroAddress;
  /** Mostly another wallet, now and then none, which burns, or the sender itself. */
  const receiver = (from: Address): Address => {
    const chance = pick(100);
    return chance < 5 ? zeroAddress : chance < 7 ? from : wallet();
  };
  /** A part of what is held, also all of it. */
  const part = (held: bigint): bigint => (held * BigInt(1 + pick(1000)) + 999n) / 1000n;

  function moveCoin(): Move {
    const kind = pick(coins.length);
    const balances = coins[kind] ?? new Map();
    const from = wallet();
    const held = balances.get(from) ?? 0n;
    const move =
      held === 0n
        ? { from: zeroAddress, to: from, amount: BigInt(1 + pick(1e9)) * unit(kind) }
        : { from, to: receiver(from), amount: part(held) };
    book(balances, move.from, move.to, move.amount);
    return { kind, id: 0n, ...move };
  }

  /** From a millionth of a coin up, where a coin has as many decimals. */
  const unit = (kind: number): bigint => 10n ** BigInt(Math.max((coinDecimals[kind] ?? 0) - 6, 0));

  function movePiece(): Move {
    const at = pick(pieceIds.length);
    const id = pieceIds[at];
    if (id === undefined || pick(5) < 2) {
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

  function moveItems(): Move {
    // Wallets with items are few among all: most senders are found among the newest receivers.
    const { holder, id, count } = (pick(4) > 0 && received[pick(received.length)]) || drawItems();
    const balances = Array.from({ length: count }, (_, index) => {
      const own = items.get(id + BigInt(index)) ?? new Map();
      items.set(id + BigInt(index), own);
      return own;
    });
    const held = balances.map((own): bigint => own.get(holder) ?? 0n).reduce((a, b) => (a < b ? a : b));
    const move =
      held === 0n
        ? { from: zeroAddress, to: holder, amount: BigInt(1 + pick(10_000)) }
        : { from: holder, to: receiver(holder), amount: part(held) };
    for (const own of balances) book(own, move.from, move.to, move.amount);
    if (move.to !== zeroAddress) received[receipts++ % receivedKept] = { holder: move.to, id, count };
    return { kind: itemKind + count - 1, id, ...move };
  }

  function drawItems(): Items {
    const first = BigInt(pick(itemSets) * setSize);
    return pick(3) === 0
      ? { holder: wallet(), id: first, count: setSize }
      : { holder: wallet(), id: first + BigInt(pick(setSize)), count: 1 };
  }

  function nextMove(): Move {
    const chance = pick(100);
    return chance < 70 ? moveCoin() : chance < 85 ? movePiece() : moveItems();
  }

  return { coins, pieces, items, nextMove, pick };
}

function book(balances: Balances, from: Address, to: Address, amount: bigint): void {
  add(balances, from, -amount);
  add(balances, to, amount);
}

function add(balances: Balances, wallet: Address, amount: bigint): void {
  if (wallet === zeroAddress) return;
  const held = (balances.get(wallet) ?? 0n) + amount;
  if (held === 0n) balances.delete(wallet);
  else balances.set(wallet, held);
}

/** A small generator of numbers from 0 to below 1 (Tommy Ettinger's mulberry32): the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

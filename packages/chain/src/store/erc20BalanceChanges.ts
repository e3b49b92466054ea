import { NULL_ADDRESS } from "../model/rows.ts";
import { transferParties } from "../model/topics.ts";

/** A log that counts as an ERC-20 transfer. */
export interface Erc20Log {
  address: string;
  topics: readonly string[];
  data: string;
}

/** Change of a balance in the token's smallest unit; negative for outgoing amounts. */
export interface Erc20BalanceChange {
  token: string;
  owner: string;
  amount: bigint;
}

/** Change of the sums over a token's balances. */
export interface Erc20TotalChange {
  holders: number;
  supply: bigint;
}

/**
 * Sums up transfers by token and owner; `sign` -1 reverts them. The null address, which mints and burns, is no owner.
 */
export function erc20BalanceChanges(logs: Iterable<Erc20Log>, sign: 1 | -1): Erc20BalanceChange[] {
  const changes = new Map<string, Erc20BalanceChange>();
  const add = (token: string, owner: string, amount: bigint) => {
    if (owner === NULL_ADDRESS) return;
    const key = token + owner;
    const change = changes.get(key);
    if (change) change.amount += amount;
    else changes.set(key, { token, owner, amount });
  };
  for (const { address, topics, data } of logs) {
    const { from, to } = transferParties(topics);
    const amount = BigInt(data) * BigInt(sign);
    add(address, from, -amount);
    add(address, to, amount);
  }
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

/** Sums over the balances of one batch of changes, by token. */
export class Erc20TotalChanges {
  readonly byToken = new Map<string, Erc20TotalChange>();

  /** Adds the change of one owner's balance. */
  add(token: string, before: bigint, after: bigint): void {
    const change = this.byToken.get(token) ?? { holders: 0, supply: 0n };
    change.holders += (after > 0n ? 1 : 0) - (before > 0n ? 1 : 0);
    change.supply += after - before;
    this.byToken.set(token, change);
  }
}

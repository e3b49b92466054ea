import { toHex } from "../model/hexBytes.ts";
import { type Erc20BalanceChange, Erc20TotalChanges } from "./erc20BalanceChanges.ts";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";
import { rowsTable } from "./postgresRows.ts";
import type { Transaction } from "./postgresSql.ts";

/** Adds changes to the balances of ERC-20 tokens. Only the process that indexes the chain writes them. */
export async function addErc20Balances(
  tx: Transaction,
  changes: readonly Erc20BalanceChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const stored = await tx<{ token: Buffer; owner: Buffer; amount: Buffer }>`
    SELECT token, owner, amount FROM erc20_balances
    JOIN ${rowsTable(changes, { bytes: ["token", "owner"] })} AS changed USING (token, owner)`;
  const before = new Map(
    stored.map(({ token, owner, amount }) => [toHex(token) + toHex(owner), decodeOrdered(amount)]),
  );
  const totals = new Erc20TotalChanges();
  const rows = changes.map(({ token, owner, amount }) => {
    const old = before.get(token + owner) ?? 0n;
    const sum = old + amount;
    totals.add(token, old, sum);
    return { token, owner, amount: toHex(encodeOrdered(sum)), held: sum > 0n ? 1 : 0, isZero: sum === 0n };
  });
  await saveBalances(
    tx,
    rows.filter(({ isZero }) => !isZero),
  );
  await removeBalances(
    tx,
    rows.filter(({ isZero }) => isZero),
  );
  await addTotals(tx, totals);
}

export async function clearErc20Balances(tx: Transaction): Promise<void> {
  await tx.unsafe("TRUNCATE erc20_balances, erc20_totals");
}

interface BalanceRow {
  token: string;
  owner: string;
  /** Encoded; hex with 0x. */
  amount: string;
  held: number;
}

async function saveBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    INSERT INTO erc20_balances
    SELECT token, owner, amount, held
    FROM ${rowsTable(rows, { bytes: ["token", "owner", "amount"], numbers: ["held"] })} AS row
    ON CONFLICT (token, owner) DO UPDATE SET amount = excluded.amount, held = excluded.held`;
}

async function removeBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    DELETE FROM erc20_balances USING ${rowsTable(rows, { bytes: ["token", "owner"] })} AS gone
    WHERE erc20_balances.token = gone.token AND erc20_balances.owner = gone.owner`;
}

async function addTotals(tx: Transaction, totals: Erc20TotalChanges): Promise<void> {
  const tokens = [...totals.byToken.keys()].map((token) => ({ token }));
  const stored = await tx<{ token: Buffer; holders: number; supply: Buffer }>`
    SELECT token, holders, supply FROM erc20_totals WHERE token IN (
      SELECT token FROM ${rowsTable(tokens, { bytes: ["token"] })} AS changed)`;
  const before = new Map(stored.map((row) => [toHex(row.token), row]));
  const rows = [...totals.byToken].map(([token, { holders, supply }]) => {
    const old = before.get(token);
    const sum = supply + (old ? decodeOrdered(old.supply) : 0n);
    return { token, holders: holders + (old?.holders ?? 0), supply: toHex(encodeOrdered(sum)) };
  });
  await tx`
    INSERT INTO erc20_totals
    SELECT token, holders, supply
    FROM ${rowsTable(rows, { bytes: ["token", "supply"], numbers: ["holders"] })} AS row
    ON CONFLICT (token) DO UPDATE SET holders = excluded.holders, supply = excluded.supply`;
  await tx`DELETE FROM erc20_totals WHERE holders = 0 AND supply = ${encodeOrdered(0n)}`;
}

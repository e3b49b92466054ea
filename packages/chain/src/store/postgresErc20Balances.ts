import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type Erc20BalanceChange, Erc20TotalChanges } from "./erc20BalanceChanges.ts";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";
import { hexArray, numberArray } from "./postgresArrays.ts";
import type { Transaction } from "./postgresSql.ts";

/** Adds changes to the balances of ERC-20 tokens. Only the process that indexes the chain writes them. */
export async function addErc20Balances(
  tx: Transaction,
  changes: readonly Erc20BalanceChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const stored = await tx<{ token: Buffer; owner: Buffer; amount: Buffer }>`
    SELECT token, owner, amount FROM erc20_balances JOIN (
      SELECT decode(token, 'hex') AS token, decode(owner, 'hex') AS owner
      FROM ${keyArrays(changes)} AS changed (token, owner)
    ) AS changed USING (token, owner)`;
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

function keyArrays(rows: readonly { token: string; owner: string }[]) {
  const [tokens, owners] = [
    hexArray(rows.map(({ token }) => token)),
    hexArray(rows.map(({ owner }) => owner)),
  ];
  return sql`unnest(${tokens}::text[], ${owners}::text[])`;
}

async function saveBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    INSERT INTO erc20_balances
    SELECT decode(token, 'hex'), decode(owner, 'hex'), decode(amount, 'hex'), held
    FROM unnest(${hexArray(rows.map(({ token }) => token))}::text[],
      ${hexArray(rows.map(({ owner }) => owner))}::text[],
      ${hexArray(rows.map(({ amount }) => amount))}::text[],
      ${numberArray(rows.map(({ held }) => held))}::int8[]) AS row (token, owner, amount, held)
    ON CONFLICT (token, owner) DO UPDATE SET amount = excluded.amount, held = excluded.held`;
}

async function removeBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    DELETE FROM erc20_balances USING ${keyArrays(rows)} AS gone (token, owner)
    WHERE erc20_balances.token = decode(gone.token, 'hex')
      AND erc20_balances.owner = decode(gone.owner, 'hex')`;
}

async function addTotals(tx: Transaction, totals: Erc20TotalChanges): Promise<void> {
  const tokens = [...totals.byToken.keys()];
  const stored = await tx<{ token: Buffer; holders: number; supply: Buffer }>`
    SELECT token, holders, supply FROM erc20_totals WHERE token IN (
      SELECT decode(item, 'hex') FROM unnest(${hexArray(tokens)}::text[]) AS item)`;
  const before = new Map(stored.map((row) => [toHex(row.token), row]));
  const rows = [...totals.byToken].map(([token, { holders, supply }]) => {
    const old = before.get(token);
    const sum = supply + (old ? decodeOrdered(old.supply) : 0n);
    return { token, holders: holders + (old?.holders ?? 0), supply: toHex(encodeOrdered(sum)) };
  });
  await tx`
    INSERT INTO erc20_totals
    SELECT decode(token, 'hex'), holders, decode(supply, 'hex')
    FROM unnest(${hexArray(rows.map(({ token }) => token))}::text[],
      ${numberArray(rows.map(({ holders }) => holders))}::int8[],
      ${hexArray(rows.map(({ supply }) => supply))}::text[]) AS row (token, holders, supply)
    ON CONFLICT (token) DO UPDATE SET holders = excluded.holders, supply = excluded.supply`;
  await tx`DELETE FROM erc20_totals WHERE holders = 0 AND supply = ${encodeOrdered(0n)}`;
}

import { toHex } from "../model/hexBytes.ts";
import { type Erc20BalanceChange, Erc20TotalChanges } from "./erc20BalanceChanges.ts";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";
import type { Transaction } from "./postgresSql.ts";

/** Adds changes to the balances of ERC-20 tokens. Only the process that indexes the chain writes them. */
export async function addErc20Balances(
  tx: Transaction,
  changes: readonly Erc20BalanceChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const keys = changes.map(({ token, owner }) => ({ token, owner }));
  const stored = await tx<{ token: Buffer; owner: Buffer; amount: Buffer }>`
    SELECT token, owner, amount FROM erc20_balances JOIN (
      SELECT decode(substr(token, 3), 'hex') AS token, decode(substr(owner, 3), 'hex') AS owner
      FROM jsonb_to_recordset(${JSON.stringify(keys)}::text::jsonb) AS changed (token text, owner text)
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

async function saveBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    INSERT INTO erc20_balances
    SELECT decode(substr(token, 3), 'hex'), decode(substr(owner, 3), 'hex'), decode(substr(amount, 3), 'hex'), held
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS row (token text, owner text, amount text, held int8)
    ON CONFLICT (token, owner) DO UPDATE SET amount = excluded.amount, held = excluded.held`;
}

async function removeBalances(tx: Transaction, rows: readonly BalanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    DELETE FROM erc20_balances USING jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS gone (token text, owner text)
    WHERE erc20_balances.token = decode(substr(gone.token, 3), 'hex')
      AND erc20_balances.owner = decode(substr(gone.owner, 3), 'hex')`;
}

async function addTotals(tx: Transaction, totals: Erc20TotalChanges): Promise<void> {
  const tokens = [...totals.byToken.keys()];
  const stored = await tx<{ token: Buffer; holders: number; supply: Buffer }>`
    SELECT token, holders, supply FROM erc20_totals WHERE token IN (
      SELECT decode(substr(item, 3), 'hex') FROM jsonb_array_elements_text(${JSON.stringify(tokens)}::text::jsonb) AS item)`;
  const before = new Map(stored.map((row) => [toHex(row.token), row]));
  const rows = [...totals.byToken].map(([token, { holders, supply }]) => {
    const old = before.get(token);
    const sum = supply + (old ? decodeOrdered(old.supply) : 0n);
    return { token, holders: holders + (old?.holders ?? 0), supply: toHex(encodeOrdered(sum)) };
  });
  await tx`
    INSERT INTO erc20_totals
    SELECT decode(substr(token, 3), 'hex'), holders, decode(substr(supply, 3), 'hex')
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS row (token text, holders int8, supply text)
    ON CONFLICT (token) DO UPDATE SET holders = excluded.holders, supply = excluded.supply`;
  await tx`DELETE FROM erc20_totals WHERE holders = 0 AND supply = ${encodeOrdered(0n)}`;
}

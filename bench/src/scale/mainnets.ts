/* What the index of a whole mainnet takes, computed from what was measured. */
import type { ScaleResult } from "./scaleResults.ts";
import { RARE_BLOCKS, TRANSACTIONS, TRANSFERS } from "./scaleShape.ts";
import { count, NAMES, sumOf, tableOf } from "./scaleTables.ts";

/**
 * Orders of magnitude at the end of 2025. Transactions by https://chainspect.app (Base 4.1, Polygon 5.8) and
 * https://etherscan.io; explorers do not publish the number of ERC-20 transfers, of which one per transaction is assumed.
 */
const CHAINS = [
  { name: "Ethereum", transactions: 3e9 },
  { name: "Base", transactions: 4.1e9 },
  { name: "Polygon", transactions: 5.8e9 },
] as const;
const TRANSFERS_PER_TRANSACTION = 1;

/** Transactions of the simulated chain per transfer, with those of user operations. */
const SIMULATED_TRANSACTIONS = (TRANSACTIONS + 1 / RARE_BLOCKS) / TRANSFERS;

/** Bytes per transaction, and per transfer with all but transactions. */
function unitsOf({ sqlBytes, eventBytes, transfers }: ScaleResult) {
  const tables = { ...sqlBytes };
  for (const [table, bytes] of Object.entries(eventBytes)) tables[table] = (tables[table] ?? 0) + bytes;
  const { transactions = 0, transaction_fees: fees = 0 } = tables;
  return {
    transaction: (transactions + fees) / transfers / SIMULATED_TRANSACTIONS,
    transfer: (sumOf(tables) - transactions - fees) / transfers,
  };
}

export function mainnetSection(results: readonly ScaleResult[]): string {
  const terabytes = (each: ScaleResult, transactions: number) => {
    const { transaction, transfer } = unitsOf(each);
    return (transactions * transaction + transactions * TRANSFERS_PER_TRANSACTION * transfer) / 1e12;
  };
  const days = (each: ScaleResult, transactions: number) =>
    (transactions * TRANSFERS_PER_TRANSACTION) / each.rates.written / 86_400;
  const [chain] = CHAINS;
  const example = results[0];
  const unit = example && unitsOf(example);
  return `## Whole mainnets, extrapolated

Not measured. Transactions are orders of magnitude of the end of 2025 ([Base and Polygon](https://chainspect.app/compare/base-vs-polygon),
[Ethereum](https://etherscan.io/chart/tx)); explorers do not publish the number of ERC-20 transfers, of which ${TRANSFERS_PER_TRANSACTION} per transaction is assumed. Insert the numbers of your chain.

    size = transactions × bytes per transaction + transfers × bytes per transfer
    days = transfers ÷ transfers per second of the writer ÷ 86,400

${tableOf(results, [
  ["bytes per transaction with its fees", (each) => unitsOf(each).transaction.toFixed(0)],
  ["bytes per transfer, with all but transactions", (each) => unitsOf(each).transfer.toFixed(0)],
  ["transfers/s of one writer", ({ rates }) => count(rates.written)],
  ...CHAINS.map(({ name, transactions }): [string, (each: ScaleResult) => string] => [
    `${name}, ${transactions / 1e9} billion transactions: TB`,
    (each) => terabytes(each, transactions).toFixed(1),
  ]),
  ...CHAINS.map(({ name, transactions }): [string, (each: ScaleResult) => string] => [
    `${name}: days of one writer`,
    (each) => days(each, transactions).toFixed(0),
  ]),
])}

${
  example && unit
    ? `${chain.name} in ${NAMES[example.engine]}: ${chain.transactions / 1e9} × 10⁹ × (${unit.transaction.toFixed(0)} + ${TRANSFERS_PER_TRANSACTION} × ${unit.transfer.toFixed(0)}) bytes = ${terabytes(example, chain.transactions).toFixed(1)} TB, and ${chain.transactions / 1e9} × 10⁹ ÷ ${count(example.rates.written)} ÷ 86,400 = ${days(example, chain.transactions).toFixed(0)} days.`
    : ""
}

What this leaves out: logs that are no transfers (each takes about as much as a transfer without its balances), longer inputs of transactions, their values,
gas and fees, which are nearly constant here and take nothing in ClickHouse, and the nodes, which can be slower than the writes. Indexes of balances and owners get
slower to write once they do not fit into memory. Real chains have more wallets and tokens than the simulated one.

The columns do not compare the engines, since the indexes differ in size (${results.map(({ engine, transfers }) => `${NAMES[engine]}: ${count(transfers)} transfers`).join("; ")}). In a small index, balances and lengths
of lists take more bytes per transfer, as partitions are small too, and the writer is faster, as more fits into memory.

## What to scale when

| When | What |
| --- | --- |
| The index does not fit on a disk | [ClickHouse](../../deploy/clickhouse.md); or only the latest blocks ([retention](../../deploy/postgresql.md#retention)), or only [known wallets](../../reference/data-api.md#index-scope) |
| Balances and owners do not fit into the memory of the SQL database | [A database for that index](../../deploy/postgresql.md#a-database-for-the-index-of-a-chain) with more memory: they are read and written at random |
| Lists are slow in ClickHouse | More cores: it counts rows in parallel; \`disable_total\` saves counting them |`;
}

import { index, onchainTable } from "ponder";

export const transfer = onchainTable(
  "transfer",
  (t) => ({
    id: t.text().primaryKey(),
    block: t.bigint().notNull(),
    timestamp: t.bigint().notNull(),
    transaction: t.hex().notNull(),
    token: t.hex().notNull(),
    tokenId: t.bigint(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({
    byFrom: index().on(table.from, table.block),
    byTo: index().on(table.to, table.block),
    byToken: index().on(table.token, table.block),
  }),
);

import type { Pgoutput } from "pg-logical-replication";
import { expect, it } from "vitest";
import { formatLsn, parseLsn, TransactionAssembler } from "./decodedTransactions.ts";

const RELATION: Pgoutput.MessageRelation = {
  tag: "relation",
  // Above the range of signed numbers, as the library reads it.
  relationOid: -1,
  schema: "public",
  name: "Post",
  replicaIdentity: "full",
  columns: [],
  keyColumns: [],
};

/** Returns the transaction of some messages. */
function assemble(assembler: TransactionAssembler, messages: readonly Pgoutput.Message[]) {
  const begin: Pgoutput.Message = {
    tag: "begin",
    commitLsn: "1/A0",
    commitTime: 1_700_000_000_123_456n,
    xid: 1,
  };
  const commit: Pgoutput.Message = {
    tag: "commit",
    flags: 0,
    commitLsn: "1/A0",
    commitEndLsn: "1/B0",
    commitTime: begin.commitTime,
  };
  for (const message of [begin, ...messages]) expect(assembler.add(message)).toBeUndefined();
  expect(assembler.isInTransaction).toBe(true);
  const transaction = assembler.add(commit);
  expect(assembler.isInTransaction).toBe(false);
  return transaction;
}

const insert = (id: string, doc: string): Pgoutput.Message => ({
  tag: "insert",
  relation: RELATION,
  new: { id, doc },
});

function message(prefix: string, content: string): Pgoutput.Message {
  return {
    tag: "message",
    flags: 1,
    transactional: true,
    messageLsn: null,
    prefix,
    content: Buffer.from(content),
  };
}

it("assembles the objects before and after each change, with the time in ms", () => {
  const transaction = assemble(new TransactionAssembler("purse_1_2"), [
    insert("a", "{}"),
    {
      tag: "update",
      relation: RELATION,
      key: null,
      old: { id: "a", doc: "{}" },
      new: { id: "a", doc: "[]" },
    },
    { tag: "delete", relation: RELATION, key: null, old: { id: "a", doc: "[]" } },
  ]);
  const change = { table: 0xffff_ffff, id: "a" };
  expect(transaction).toMatchObject({
    lsn: 0x1_0000_00a0n,
    at: 1_700_000_000_123,
    isTooLarge: false,
    changes: [
      { ...change, before: null, after: "{}" },
      { ...change, before: "{}", after: "[]" },
      { ...change, before: "[]", after: null },
    ],
  });
});

it("leaves out what follows the message of its own log in a transaction, and nothing of the next one", () => {
  const assembler = new TransactionAssembler("purse_1_2");
  const silent = [
    message("purse_1_3", "silent"),
    insert("a", "{}"),
    message("purse_1_2", "silent"),
    insert("b", "{}"),
  ];
  expect(assemble(assembler, silent)?.changes.map(({ id }) => id)).toEqual(["a"]);
  expect(assemble(assembler, [insert("c", "{}")])?.changes.map(({ id }) => id)).toEqual(["c"]);
});

it("keeps no changes of a transaction that is too large, and those of the next one", () => {
  const assembler = new TransactionAssembler("purse_1_2", 1_000);
  const large = [insert("a", "{}"), insert("b", "x".repeat(1_000)), insert("c", "{}")];
  expect(assemble(assembler, large)).toMatchObject({ isTooLarge: true, changes: [], size: 0 });
  expect(assemble(assembler, [insert("d", "{}")])).toMatchObject({
    isTooLarge: false,
    changes: [{ id: "d" }],
  });
});

it("parses and formats positions", () => {
  expect(parseLsn("16/B374D848")).toBe(0x16_b374_d848n);
  expect(formatLsn(0x16_b374_d848n)).toBe("16/B374D848");
  expect(parseLsn(null)).toBe(0n);
});

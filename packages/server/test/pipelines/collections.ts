/* The objects that the tables of stages and matches are about, by class. */
import type { JsonObject } from "@purse/protocol";
import { date, pointer } from "./caseValues.ts";

const employee = (objectId: string, name: string, boss?: string): JsonObject => ({
  objectId,
  name,
  ...(boss !== undefined && { boss }),
});

export const COLLECTIONS: Readonly<Record<string, readonly JsonObject[]>> = {
  Sale: [
    {
      objectId: "s1",
      item: "pen",
      price: 2,
      count: 5,
      sold: true,
      shop: pointer("Shop", "a"),
      tags: ["x", "y"],
      at: date("2026-01-05T10:00:00Z"),
    },
    {
      objectId: "s2",
      item: "pen",
      price: 3,
      count: 1,
      sold: false,
      shop: pointer("Shop", "a"),
      tags: ["y"],
      at: date("2026-01-20T10:00:00Z"),
    },
    {
      objectId: "s3",
      item: "ink",
      price: 10,
      sold: true,
      shop: pointer("Shop", "b"),
      tags: [],
      at: date("2026-02-05T10:00:00Z"),
    },
    { objectId: "s4", item: null, price: 1, tags: ["z", null] },
    { objectId: "s5", price: 4 },
  ],
  Shop: [
    { objectId: "a", name: "corner", city: "Rome", owner: pointer("Owner", "o1") },
    { objectId: "b", name: "dock", city: null },
    { objectId: "c", name: "empty" },
  ],
  Owner: [{ objectId: "o1", name: "Ann" }],
  Employee: [
    employee("e1", "Dev"),
    employee("e2", "Eliot", "Dev"),
    employee("e3", "Ron", "Eliot"),
    employee("e4", "Andrew", "Eliot"),
    employee("e5", "Asya", "Ron"),
    employee("e6", "Dan", "Andrew"),
  ],
  Transfer: [
    { objectId: "t1", from_address: "0xa", to_address: "0xb", value: "1000000000000000000", token: "0x1" },
    { objectId: "t2", from_address: "0xb", to_address: "0xa", value: "1", token: "0x2" },
    { objectId: "t3", from_address: "0xc", to_address: "0xd", value: "9007199254740993", token: "0x1" },
  ],
  Balance: [
    { objectId: "b1", token: "0x1", owner: "ann", amount: 5 },
    { objectId: "b2", token: "0x1", owner: "ben", amount: 7 },
    { objectId: "b3", token: "0x2", owner: "ann", amount: 9 },
    { objectId: "b4", owner: "ann", amount: 1 },
  ],
  Thing: [
    {
      objectId: "m1",
      n: 1,
      s: "$objectId",
      list: [1, 2],
      o: { objectId: "abc", createdAt: "x" },
      when: date("2026-01-01"),
      ref: pointer("Ord", "o1"),
      refs: [pointer("Ord", "o1"), pointer("Ord", "o2")],
      b: true,
    },
    {
      objectId: "m2",
      n: 2,
      s: "$_p_x",
      list: [3],
      o: { v: "2" },
      when: date("2026-06-01"),
      ref: pointer("Ord", "o2"),
      refs: [pointer("Ord", "o3")],
      b: false,
    },
    { objectId: "m3", n: null, list: [], o: { v: 2 }, refs: [] },
    { objectId: "m4", s: "Text", o: { v: null, ref: pointer("Ord", "o1") } },
    {
      objectId: "m5",
      n: 5,
      s: "text",
      list: [[1, 2], 9],
      o: { v: [1, 2, { w: 1 }] },
      parts: [
        { a: 1, b: 5 },
        { a: 2, b: 1 },
      ],
    },
  ],
  Price: [
    { objectId: "p1", stock: "MDB", at: date("2020-05-18T20:00:00Z"), price: 13, hour: 1 },
    { objectId: "p2", stock: "MDB", at: date("2020-05-19T20:00:00Z"), price: 15.4, hour: 2 },
    { objectId: "p3", stock: "MDB", at: date("2020-05-20T20:00:00Z"), price: 12, hour: 2 },
    { objectId: "p4", stock: "MDB", at: date("2020-05-21T20:00:00Z"), price: 11.7, hour: 5 },
    { objectId: "p5", stock: "MSFT", at: date("2020-05-18T20:00:00Z"), price: 82, hour: 1 },
    { objectId: "p6", stock: "MSFT", at: date("2020-05-19T20:00:00Z"), price: 94, hour: 2 },
  ],
  Reading: [
    { objectId: "r1", at: 0, value: 0 },
    { objectId: "r2", at: 1, value: null },
    { objectId: "r3", at: 2 },
    { objectId: "r4", at: 4, value: 10 },
    { objectId: "r5", at: 5 },
  ],
  // Together they have more than 64 bits.
  Coin: [
    { objectId: "c1", amount: 9_000_000_000_000_000_000, share: 0.5 },
    { objectId: "c2", amount: 9_000_000_000_000_000_000, share: 0.25 },
    { objectId: "c3", amount: 9_000_000_000_000_000_000 },
  ],
  Report: [
    {
      objectId: "f1",
      level: 1,
      card: { level: 5, number: "x", address: { level: 3 } },
      parts: [{ level: 5, text: "secret" }, { level: 2, text: "open", more: [{ level: 5 }, 7] }, "plain"],
      status: "A",
    },
    { objectId: "f2", level: 5 },
  ],
};

import type { JsonObject } from "@purse/protocol";
import { pointer, type RequestAttack, repeat, save, TEXT_TYPE } from "./requestAttack.ts";
import { enveloped, type HostileRequest, type Target } from "./target.ts";

const change =
  (fields: JsonObject) =>
  (target: Target): HostileRequest => ({
    ...save({ _method: "PUT", ...fields })(target),
    path: `/server/classes/Hostile/${target.objectId}`,
  });

const texts = (count: number) => repeat(count, (i) => `new ${i}`);

export const OPERATIONS: readonly RequestAttack[] = [
  {
    generator: "29,000 added uniquely to a new list",
    make: save({ list: { __op: "AddUnique", objects: texts(29_000) } }),
  },
  {
    generator: "29,000 added uniquely to 20,000",
    make: change({ list: { __op: "AddUnique", objects: texts(29_000) } }),
  },
  {
    generator: "29,000 removed from 20,000",
    make: change({ list: { __op: "Remove", objects: texts(29_000) } }),
  },
  {
    generator: "140,000 numbers added uniquely",
    make: change({ list: { __op: "AddUnique", objects: repeat(140_000, (i) => i) } }),
  },
  {
    generator: "7,000 objects added uniquely",
    make: change({ list: { __op: "AddUnique", objects: repeat(7_000, (i) => ({ a: i })) } }),
  },
  {
    generator: "250,000 objects of a relation in a Batch",
    make: save({ rel: { __op: "Batch", ops: [{ __op: "AddRelation", objects: repeat(60_000, pointer) }] } }),
  },
  {
    generator: "4,000 objects of a relation",
    make: save({
      rel: { __op: "AddRelation", objects: repeat(4_000, (i) => ({ ...pointer(i), className: "C" })) },
    }),
  },
  {
    generator: "5,000 operations in a Batch",
    make: save({ rel: { __op: "Batch", ops: repeat(5_000, () => ({ __op: "AddRelation", objects: [] })) } }),
  },
  {
    generator: "an increment beyond all numbers",
    make: (target) => repeat(3, () => change({ number: { __op: "Increment", amount: 1e308 } })(target)),
  },
  {
    generator: "1,000 dotted paths into 10,000 keys",
    make: (target) => [
      change({ map: Object.fromEntries(repeat(10_000, (i) => [`k${i}`, i])) })(target),
      change(Object.fromEntries(repeat(1_000, (i) => [`map.k${i}`, -i])))(target),
    ],
  },
  {
    generator: "1,000 positions of a list of 20,000",
    make: change(Object.fromEntries(repeat(1_000, (i) => [`list.${i}`, "x"]))),
  },
  {
    generator: "1,000 dotted paths",
    make: change(Object.fromEntries(repeat(1_000, (i) => [`map.a${i}.b.c`, i]))),
  },
  {
    generator: "9,000 ACL entries",
    make: save({ ACL: Object.fromEntries(repeat(9_000, (i) => [`user${i}`, { read: true }])) }),
  },
  {
    generator: "a pointer to a class with a long name",
    make: save({ link: { __type: "Pointer", className: "C".repeat(3_000_000), objectId: "x" } }),
  },
  { generator: "a date of 4 MB", make: save({ when: { __type: "Date", iso: "(".repeat(3_900_000) } }) },
  {
    generator: "a polygon of 60,000 points",
    make: save({ area: { __type: "Polygon", coordinates: repeat(25_000, (i) => [i % 90, i % 180]) } }),
  },
  {
    generator: "300 installations with 1,000 channels",
    make: (target) =>
      repeat(300, (n) => ({
        path: "/server/installations",
        headers: TEXT_TYPE,
        body: enveloped(target, {
          installationId: `installation ${n}`,
          deviceType: "ios",
          channels: repeat(1_000, (i) => `channel-${i}-${"x".repeat(100)}`),
        }),
      })),
  },
  {
    generator: "channels added to an installation",
    make: (target) => ({
      path: "/server/installations",
      headers: TEXT_TYPE,
      body: enveloped(target, {
        installationId: "i",
        deviceType: "ios",
        channels: { __op: "AddUnique", objects: texts(29_000) },
      }),
    }),
  },
];

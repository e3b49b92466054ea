import type { ChainEvent } from "@purse/chain";
import { type JsonObject, ProtocolError } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { parseEventFilter } from "../../chainWork/eventFilter.ts";
import { filterValues } from "../../chainWork/filterFields.ts";
import { eventObject } from "./eventObject.ts";
import { syncWatches } from "./syncTables.ts";
import { parseWatch } from "./watch.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const chains = {
  chainIdOf: (selector: unknown) => Number(selector),
  isFullyIndexed: (id: number) => id === 1,
};
const event = { type: "event", name: "Moved", inputs: [{ name: "n", type: "uint256" }] };
const other = { ...event, name: "Other" };

describe("a watch", () => {
  const parse = (options: JsonObject) => parseWatch({ chainId: 1, address: ADDRESS, ...options }, chains);

  it("finds its event by hash, name or signature, or the only event of the ABI", () => {
    const { selections } = parse({ abi: [event], tableName: "A" });
    const [selection] = selections;
    const hash = selection?.kind === "event" ? selection.topic : "";
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    for (const topic of [
      hash,
      hash.toUpperCase().replace("0X", "0x"),
      "Moved",
      "Moved(uint256)",
      "Moved( uint256 )",
    ])
      expect(parse({ abi: [other, event], topic, tableName: "A" }).selections).toEqual(selections);
    expect(parse({ abi: JSON.stringify(event), tableName: "A" }).selections).toEqual(selections);
  });

  it("without an event selects the transactions and tokens of its address, only tokens if the chain is fully indexed", () => {
    expect(parse({}).selections.map(({ kind }) => kind)).toEqual(["transactions", "erc20", "nft"]);
    expect(parse({ chainId: 2 }).selections.map(({ kind }) => kind)).toEqual(["erc20", "nft"]);
  });

  it("with a topic alone selects logs that are not decoded", () => {
    const hash = `0x${"AB".repeat(32)}`;
    expect(parse({ topic: hash, tableName: "A" }).selections).toEqual([
      { kind: "logs", address: ADDRESS, topic: hash.toLowerCase() },
    ]);
    const [selection] = parse({ topic: "Moved( uint256 )", tableName: "A" }).selections;
    const [decoded] = parse({ abi: event, tableName: "A" }).selections;
    expect(selection).toMatchObject({ kind: "logs", topic: Object(decoded).topic });
  });

  it("counts a block as final after 12 blocks, on a local chain at once", () => {
    expect(parse({}).confirmations).toBe(12);
    for (const chainId of [1_337, 31_337]) expect(parse({ chainId }).confirmations).toBe(1);
    expect(parse({ chainId: 1_337, confirmations: 3 }).confirmations).toBe(3);
    const synced = { chainId: 1_337, address: ADDRESS, prefix: "Eth", isHistorical: false };
    expect(syncWatches(synced, chains).map(({ confirmations }) => confirmations)).toEqual([1, 1]);
  });

  it("keeps a stored filter that matches nothing", () => {
    const stored = { chainId: 1, address: ADDRESS, filter: { eq: ["sender", "1"] } };
    expect(parseWatch(stored, chains, true).filter({ kind: "erc20" })).toBe(false);
  });

  it("has the same ID for the same contents", () => {
    const { id } = parse({ abi: event, tableName: "A" });
    expect(parse({ abi: [event], tableName: "A", confirmations: 3, webhook: "https://a.example/" }).id).toBe(
      id,
    );
    expect(parse({ abi: event, tableName: "B" }).id).not.toBe(id);
    expect(parse({ abi: event, tableName: "A", filter: { eq: ["n", "1"] } }).id).not.toBe(id);
  });

  it.each<[JsonObject, RegExp]>([
    [{ abi: [event, other], tableName: "A" }, /several/],
    [{ abi: [event], topic: "Gone", tableName: "A" }, /abi must contain/],
    [{ abi: [event], topic: "Moved(", tableName: "A" }, /topic must be/],
    [{ abi: "{", tableName: "A" }, /JSON/],
    [{ abi: [{ ...event, anonymous: true }], tableName: "A" }, /anonymous/],
    [{ abi: [event] }, /tableName/],
    [{ abi: [event], tableName: "_Role" }, /tableName/],
    [{ abi: [event], tableName: "A", chainId: 2 }, /whole chain/],
    [{ topic: "Moved", tableName: "A" }, /hash or signature/],
    [{ topic: "Moved(uint256)" }, /tableName/],
    [{ address: "0x12" }, /address/],
    [{ confirmations: -1 }, /confirmations/],
    [{ webhook: "https://user:secret@example.org/" }, /webhook/],
    [{ webhook: "ftp://example.org/" }, /webhook/],
    [{ color: "red" }, /color is not known/],
    [{ filter: { and: { eq: [] } } }, /and takes a list/],
    [{ filter: { eq: ["n"] } }, /name and a value/],
    [{ filter: { in: ["n", 1] } }, /list/],
    [{ filter: { constructor: ["n", 1] } }, /there is no constructor/],
    [{ filter: { eq: ["sender", "1"] } }, /no sender/],
    [{ filter: { or: [{ eq: ["kind", "erc20"] }, { ne: ["toString", "1"] }] } }, /no toString/],
    [{ filter: { eq: ["value", "many"] } }, /value is an integer/],
    [{ filter: { in: ["from_address", [ADDRESS, "0x0"]] } }, /from_address is an address/],
    [{ filter: { gt: ["from_address", ADDRESS] } }, /gt compares integers/],
    [{ filter: { eq: ["succeeded", "true"] } }, /true or false/],
    [{ filter: { in: ["value", []] } }, /at least one value/],
    [{ filter: { or: [] } }, /at least one filter/],
    [{ abi: [event], tableName: "A", filter: { eq: ["m", "1"] } }, /no m/],
    [
      {
        abi: [{ ...event, inputs: [{ name: "n", type: "uint8[]" }] }],
        tableName: "A",
        filter: { eq: ["n", "1"] },
      },
      /cannot be compared/,
    ],
  ])("is rejected with a reason: %j", (options, reason) => {
    expect(() => parse(options)).toThrow(reason);
    expect(() => parse(options)).toThrow(ProtocolError);
  });
});

describe("parseEventFilter()", () => {
  const fields = {
    n: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    to: "0xAB",
    ok: true,
  };
  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ gt: ["n", "115792089237316195423570985008687907853269984665640564039457584007913129639934"] }, true],
    [{ lte: ["n", 5] }, false],
    [{ eq: ["to", "0xab"] }, true],
    [{ ne: ["to", "0xab"] }, false],
    [{ in: ["to", ["0xcd", "0xab"]] }, true],
    [{ nin: ["to", ["0xcd", "0xab"]] }, false],
    [{ eq: ["ok", true] }, true],
    [{ eq: ["missing", "1"] }, false],
    [{ gt: ["missing", "1"] }, false],
    [{ lt: ["to", "0xff"] }, false],
    [{ or: [{ eq: ["ok", false] }, { gte: ["n", "1"] }] }, true],
    [{ and: [{ eq: ["ok", true] }, { eq: ["to", "0xcd"] }] }, false],
    [{ eq: ["ok", true], ne: ["to", "0xab"] }, false],
  ])("evaluates %j", (filter, wanted) => {
    expect(parseEventFilter(filter)(fields)).toBe(wanted);
  });
});

const found = (args: JsonObject): ChainEvent => {
  const block = { number: 7, hash: `0x${"1".repeat(64)}` };
  return {
    cursor: { position: 7 * 2 ** 20 + 3, part: 0, block },
    timestamp: 1_000,
    transactionHash: `0x${"2".repeat(64)}`,
    fields: { log_index: 3, address: ADDRESS, args },
  };
};

describe("the filter of a watch", () => {
  const inputs: JsonObject[] = [
    { name: "id", type: "uint256" },
    { name: "_owner", type: "address" },
    { name: "note", type: "string", indexed: true },
  ];
  const filterOf = (filter: JsonObject) =>
    parseWatch({ chainId: 1, address: ADDRESS, abi: { ...event, inputs }, tableName: "A", filter }, chains)
      .filter;
  const values = filterValues(found({ id: "18446744073709551617", _owner: ADDRESS, note: "0xab" }));

  it.each<[JsonObject, boolean]>([
    [{ eq: ["id", "18446744073709551617"] }, true],
    [{ eq: ["uid", "18446744073709551617"] }, true],
    [{ gt: ["id_decimals", "18446744073709551616"] }, true],
    [{ gt: ["uid_decimal", "18446744073709551617"] }, false],
    [{ lt: ["uid_decimal", 1e30] }, true],
    [{ eq: ["_owner", ADDRESS.toUpperCase().replace("0X", "0x")] }, true],
    [{ ne: ["owner", ADDRESS] }, false],
    [{ in: ["note", ["0xAB", "0xcd"]] }, true],
    [{ gte: ["log_index", 3] }, true],
  ])("knows the arguments by the names in the ABI and in the objects: %j", (filter, wanted) => {
    expect(filterOf(filter)(values)).toBe(wanted);
  });
});

describe("the object of an event", () => {
  const make = (args: JsonObject) =>
    eventObject(found(args), { chainId: 1, kind: "event", confirmed: false });

  it("contains the arguments under valid and unique field names", () => {
    expect(
      make({ _from: "0x1", address: "0x2", "": "0x3", "0": "0x4", from: "0x5", objectId: "0x6" }),
    ).toMatchObject({
      from: "0x1",
      address: ADDRESS,
      address_: "0x2",
      arg_: "0x3",
      arg_0: "0x4",
      from_: "0x5",
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      objectId_: "0x6",
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ id: "3" }, { uid: "3", uid_decimal: 3 }],
    [{ _id: "3" }, { uid: "3", uid_decimal: 3 }],
    [
      { id: "3", uid: "4" },
      { uid: "4", uid_: "3" },
    ],
  ])("contains an argument called id, which the SDKs hide, as uid: %j", (args, fields) => {
    const object = make(args);
    expect(object).toMatchObject(fields);
    expect(object).not.toHaveProperty("id");
  });

  it("contains integers as strings, with an approximate number", () => {
    expect(make({ value: (2n ** 256n - 1n).toString() })).toMatchObject({
      value: (2n ** 256n - 1n).toString(),
      value_decimal: 2 ** 256,
    });
  });

  it("contains only strings that every database accepts", () => {
    expect(make({ text: "a\0b\ud800", list: [{ inner: "\0" }] })).toMatchObject({
      text: "a\ufffdb\ufffd",
      list: [{ inner: "\ufffd" }],
    });
  });

  it("has an id that depends only on its position in its block", () => {
    expect(make({ a: "1" }).objectId).toBe(make({ b: "2" }).objectId);
  });
});

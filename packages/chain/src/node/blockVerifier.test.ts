import type { JsonObject } from "@purse/protocol";
import { type Hex, keccak256, serializeTransaction, type TransactionSerializable, toHex, toRlp } from "viem";
import { describe, expect, it } from "vitest";
import { encodeReceipt, encodeTransaction } from "./blockEncoding.ts";
import { BlockVerifier, COMMITMENTS, type Commitment, type ReturnedBlock } from "./blockVerifier.ts";
import { trieRoot } from "./trieRoot.ts";

/** The first block of Ethereum with a transaction, its receipt and its header. */
const FIRST_TRANSACTION = {
  hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
  nonce: "0x0",
  gasPrice: "0x2d79883d2000",
  gas: "0x5208",
  to: "0x5df9b87991262f6ba471f09758cde1c0fc1de734",
  value: "0x7a69",
  input: "0x",
  v: "0x1c",
  r: "0x88ff6cf0fefd94db46111149ae4bfc179e9b94721fffd821d38d16464b3f71d0",
  s: "0x45e0aff800961cfce805daef7016b9b675c137a6a41a548f7b60a3484c06a33a",
};
const FIRST_ROOT = "0x4513310fcb9f6f616972a3b948dc5d547f280849a87ebb5af0191f98b87be598";
const NO_BLOOM = `0x${"0".repeat(512)}`;
const FIRST_RECEIPT = {
  root: "0x96a8e009d2b88b1483e6941e6812e32263b05683fac202abc622a3e31aed1957",
  cumulativeGasUsed: "0x5208",
  logsBloom: NO_BLOOM,
  logs: [],
};
const FIRST_BLOCK = {
  number: "0xb443",
  hash: "0x4e3a3754410177e6937ef1f84bba68ea139e8d1a2258c5f85db9f1cd715a1bdd",
  parentHash: "0x5a41d0e66b4120775176c09fcf39e7c0520517a13d2b57b18d33d342df038bfc",
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: "0xe6a7a1d47ff21b6321162aea7c6cb457d5476bca",
  stateRoot: "0x0e0df2706b0a4fb8bd08c9246d472abbe850af446405d9eba1db41db18b4a169",
  transactionsRoot: FIRST_ROOT,
  receiptsRoot: "0xfe2bf2a941abf41d72637e5b91750332a30283efd40c424dc522b77e6f0ed8c4",
  logsBloom: NO_BLOOM,
  difficulty: "0x153886c1bbd",
  gasLimit: "0x520b",
  gasUsed: "0x5208",
  timestamp: "0x55c42659",
  extraData: "0x657468706f6f6c2e6f7267",
  mixHash: "0xb48c515a9dde8d346c3337ea520aa995a4738bb595495506125449c1149d6cf4",
  nonce: "0xba4f8ecd18aab215",
  totalDifficulty: "0x97a50222edba99",
  size: "0x27a",
  uncles: [],
};
const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;

describe("the root of a list", () => {
  it("is that of Ethereum without items and with one", () => {
    expect(trieRoot([])).toBe(EMPTY_ROOT);
    const encoded = encodeTransaction(FIRST_TRANSACTION);
    expect(encoded && keccak256(encoded)).toBe(FIRST_TRANSACTION.hash);
    expect(encoded && trieRoot([encoded])).toBe(FIRST_ROOT);
  });

  it("contains short nodes in the nodes above them, and depends on the order of the items", () => {
    const [a, b] = [Buffer.from("a"), Buffer.from("b")];
    // Leaf nodes of the paths 0 (of key 0x80) and 1 (of key 0x01), in a branch.
    const leaf = (path: Hex, value: Buffer) => [path, toHex(value)] as const;
    const none = "0x" as const;
    const children = Array.from({ length: 17 }, (_, i) =>
      i === 8 ? leaf("0x30", a) : i === 0 ? leaf("0x31", b) : none,
    );
    expect(trieRoot([a, b])).toBe(keccak256(toRlp(children)));
    expect(trieRoot([b, a])).not.toBe(trieRoot([a, b]));
  });

  it("changes with each item of a long list, whose keys have up to three bytes", () => {
    const items = Array.from({ length: 300 }, (_, i) => Buffer.alloc(40, i));
    const roots = [0, 1, 127, 128, 255, 256, 299].map((changed) =>
      trieRoot(items.map((item, i) => (i === changed ? Buffer.from("other") : item))),
    );
    expect(new Set([...roots, trieRoot(items)]).size).toBe(8);
  });
});

describe("a transaction", () => {
  const signature = { r: word("8"), s: word("7"), yParity: 1 };
  const common = {
    chainId: 1,
    nonce: 9,
    gas: 70_000n,
    to: address("c"),
    value: 5n,
    data: "0xabcdef",
  } as const;
  const fees = { maxFeePerGas: 300n, maxPriorityFeePerGas: 2n };
  const accessList = [{ address: address("d"), storageKeys: [word("1"), word("2")] }];
  const cases: [string, TransactionSerializable, JsonObject][] = [
    ["0x1", { ...common, type: "eip2930", gasPrice: 256n, accessList }, { gasPrice: "0x100" }],
    ["0x2", { ...common, type: "eip1559", ...fees, accessList }, {}],
    [
      "0x3",
      {
        ...common,
        type: "eip4844",
        ...fees,
        accessList,
        maxFeePerBlobGas: 77n,
        blobVersionedHashes: [word("0").replace("0x00", "0x01") as Hex],
      },
      { maxFeePerBlobGas: "0x4d", blobVersionedHashes: [word("0").replace("0x00", "0x01")] },
    ],
    [
      "0x4",
      {
        ...common,
        ...{ type: "eip7702", ...fees, accessList },
        authorizationList: [
          { address: address("e"), chainId: 0, nonce: 3, r: word("5"), s: word("6"), yParity: 0 },
        ],
      },
      {
        authorizationList: [
          { address: address("e"), chainId: "0x0", nonce: "0x3", r: word("5"), s: word("6"), yParity: "0x0" },
        ],
      },
    ],
  ];

  it.each(cases)("of the type %s is encoded as other libraries do it", (type, transaction, own) => {
    const json = {
      ...{
        type,
        chainId: "0x1",
        nonce: "0x9",
        gas: "0x11170",
        to: common.to,
        value: "0x5",
        input: common.data,
      },
      ...{ maxFeePerGas: "0x12c", maxPriorityFeePerGas: "0x2", accessList },
      ...{ r: signature.r, s: signature.s, yParity: "0x1", v: "0x1" },
      ...own,
    };
    expect(encodeTransaction(json)?.toString("hex")).toBe(
      serializeTransaction(transaction, signature).slice(2),
    );
  });

  it("of a rollup's own type, or without a signature, is not encoded", () => {
    expect(encodeTransaction({ ...FIRST_TRANSACTION, type: "0x7e" })).toBeUndefined();
    expect(encodeTransaction({ ...FIRST_TRANSACTION, r: "0x0", s: "0x0" })).toBeUndefined();
  });
});

it("a receipt with a status from before they had one is not encoded", () => {
  const receipt = { status: "0x1", cumulativeGasUsed: "0x5208", logsBloom: NO_BLOOM, logs: [] };
  expect(encodeReceipt(receipt, FIRST_TRANSACTION, 1_439_000_000)).toBeUndefined();
  expect(encodeReceipt(receipt, FIRST_TRANSACTION, 1_700_000_000)).toBeDefined();
  expect(encodeReceipt({ ...receipt, root: word("a") }, FIRST_TRANSACTION, 1_439_000_000)).toBeDefined();
});

describe("a verifier", () => {
  it("accepts the first block of Ethereum with a transaction, and rejects any other header or receipt of it", () => {
    const first = (header: JsonObject = {}, receipt: JsonObject = {}): ReturnedBlock => ({
      ...{ number: 46_147, timestamp: Number(FIRST_BLOCK.timestamp), hash: FIRST_BLOCK.hash },
      block: { ...FIRST_BLOCK, ...header },
      transactions: [FIRST_TRANSACTION],
      receipts: [{ ...FIRST_RECEIPT, ...receipt }],
    });
    const { verify } = createVerifier(COMMITMENTS);
    verify(first());
    expect(() => verify(first({ gasUsed: "0x5209" }))).toThrow(
      "the header of block 46147 does not match its hash",
    );
    expect(() => verify(first({}, { cumulativeGasUsed: "0x5209" }))).toThrow("the receipts of block 46147");
    // Headers of later forks can have more fields.
    verify(first({ slotNumber: "0x1", gasUsed: "0x5209" }));
  });

  function block(
    number: number,
    { transactionsRoot = FIRST_ROOT, ...changes }: JsonObject = {},
  ): ReturnedBlock {
    const transactions = [{ ...FIRST_TRANSACTION, ...changes }];
    return { number, timestamp: 0, hash: word("b"), block: { transactionsRoot }, transactions, receipts: [] };
  }

  function createVerifier(known: readonly Commitment[] = []) {
    const reports: unknown[] = [];
    const verifier = new BlockVerifier({
      known,
      onKnown: (all) => reports.push(all),
      onUnknown: (commitment, number) => reports.push([commitment, number]),
    });
    return { reports, verify: (...blocks: ReturnedBlock[]) => verifier.verify(blocks) };
  }

  it("rejects a block that does not match once another one has, and reports what it knows", () => {
    const { verify, reports } = createVerifier();
    verify(block(1));
    expect(reports).toEqual([["transactions"]]);
    expect(() => verify(block(2, { value: "0x7a6a" }))).toThrow(
      "the transactions of block 2 do not match the root in its header (the setting VERIFY_ROOTS",
    );
  });

  it("rejects a block of a range in which others match, also as the first range", () => {
    const { verify } = createVerifier();
    expect(() => verify(block(1, { value: "0x7a6a" }), block(2))).toThrow("transactions of block 1");
  });

  it("rejects a hash that is not that of its transaction", () => {
    const { verify } = createVerifier(["transactions"]);
    expect(() => verify(block(1, { hash: word("c") }))).toThrow("transactions of block 1");
  });

  it("accepts the blocks of a chain that has other roots, and reports that once", () => {
    const { verify, reports } = createVerifier();
    for (let number = 1; number < 100; number++) verify(block(number, { transactionsRoot: word("e") }));
    expect(reports).toEqual([["transactions", 1]]);
  });

  it("accepts blocks with transactions of unknown types, and of chains without roots", () => {
    const { verify } = createVerifier(["transactions"]);
    verify(block(1, { type: "0x7e", value: "0x1" }), block(2, { transactionsRoot: word("0") }));
  });

  it("does not learn from blocks without transactions, whose roots some chains give to all", () => {
    const { verify, reports } = createVerifier();
    const empty = { ...block(1), block: { transactionsRoot: EMPTY_ROOT }, transactions: [] };
    verify(empty);
    verify(block(2, { transactionsRoot: EMPTY_ROOT }));
    expect(reports).toEqual([["transactions", 2]]);
  });
});

import { encodeAbiParameters, parseAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import { NULL_ADDRESS, positionOf } from "../model/rows.ts";
import {
  ASSIGN_TOPIC,
  addressTopic,
  DEPOSIT_TOPIC,
  PUNK_BOUGHT_TOPIC,
  PUNK_TRANSFER_TOPIC,
  TRANSFER_TOPIC,
} from "../model/topics.ts";
import {
  CONSECUTIVE_TRANSFER_TOPIC,
  MAX_LISTED_PER_BLOCK,
  MAX_LISTED_PER_LOG,
} from "./consecutiveTransfers.ts";
import { decodeLogs } from "./decodeLogs.ts";

const KITTIES = "0x06012c8cf97bead5deae237070f9587f8e7a266d";
const PUNKS = "0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb";
const OTHER = `0x${"0c".repeat(20)}`;
const [A, B] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`] as const;

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

function log(address: string, topics: string[], data: string, position = positionOf(3, 0)) {
  return { position, transactionIndex: 0, transactionHash: word(9n), address, topics, data };
}

const consecutive = (first: bigint, last: bigint, position?: number) =>
  log(
    OTHER,
    [CONSECUTIVE_TRANSFER_TOPIC, word(first), addressTopic(NULL_ADDRESS), addressTopic(A)],
    word(last),
    position,
  );

describe("decodeLogs()", () => {
  it("lists the tokens of a consecutive transfer up to a limit, and stores the others as a range", () => {
    const { nftTransfers, nftRanges } = decodeLogs([consecutive(5n, 2n ** 40n)]);
    expect(nftTransfers).toHaveLength(MAX_LISTED_PER_LOG);
    expect(nftTransfers[3]).toMatchObject({ part: 3, tokenId: word(8n), to: A, amount: "1", isBatch: true });
    expect(nftRanges).toEqual([
      {
        position: positionOf(3, 0),
        token: OTHER,
        first: word(5n + BigInt(MAX_LISTED_PER_LOG)),
        last: word(2n ** 40n),
        from: NULL_ADDRESS,
        to: A,
      },
    ]);
  });

  it("limits the listed tokens of consecutive transfers per block, regardless of the number of logs", () => {
    const logs = Array.from({ length: 100 }, (_, i) => consecutive(0n, 9_999n, positionOf(3, i)));
    const next = consecutive(0n, 4n, positionOf(4, 0));
    const { nftTransfers, nftRanges } = decodeLogs([...logs, next]);
    expect(nftTransfers).toHaveLength(MAX_LISTED_PER_BLOCK + 5);
    expect(nftRanges).toHaveLength(100 - MAX_LISTED_PER_BLOCK / 10_000);
  });

  it.each([
    ["a range that ends before its start", consecutive(5n, 4n)],
    [
      "parties that are not addresses",
      { ...consecutive(0n, 4n), topics: [CONSECUTIVE_TRANSFER_TOPIC, ...Array(3).fill(word(2n ** 200n))] },
    ],
    ["half the data", { ...consecutive(0n, 4n), data: "0x00" }],
  ])("ignores a log of the same topic with %s", (_, hostile) => {
    expect(decodeLogs([hostile])).toMatchObject({ nftTransfers: [], nftRanges: [] });
  });

  it("decodes transfers of CryptoKitties, whose values are all in the data", () => {
    const data = encodeAbiParameters(parseAbiParameters("address, address, uint256"), [A, B, 17n]);
    const kitty = log(KITTIES, [TRANSFER_TOPIC], data);
    expect(decodeLogs([kitty], { chainId: 1 }).nftTransfers).toMatchObject([
      { token: KITTIES, from: A, to: B, tokenId: word(17n), standard: 721 },
    ]);
    expect(decodeLogs([kitty], { chainId: 137 }).nftTransfers).toEqual([]);
    expect(decodeLogs([{ ...kitty, address: OTHER }], { chainId: 1 }).nftTransfers).toEqual([]);
  });

  it("decodes transfers of CryptoPunks, with the buyer of an accepted bid, which its log omits", () => {
    const { nftTransfers } = decodeLogs(
      [
        log(PUNKS, [ASSIGN_TOPIC, addressTopic(A)], word(3n), 1),
        log(PUNKS, [PUNK_TRANSFER_TOPIC, addressTopic(A), addressTopic(B)], word(3n), 2),
        log(PUNKS, [PUNK_BOUGHT_TOPIC, word(3n), addressTopic(B), addressTopic(A)], word(50n), 3),
        log(PUNKS, [TRANSFER_TOPIC, addressTopic(A), addressTopic(B)], word(1n), 4),
        log(PUNKS, [PUNK_BOUGHT_TOPIC, word(3n), addressTopic(A), addressTopic(NULL_ADDRESS)], word(0n), 5),
      ],
      { chainId: 1 },
    );
    expect(nftTransfers.map(({ from, to, tokenId }) => [from, to, tokenId])).toEqual([
      [NULL_ADDRESS, A, word(3n)],
      [A, B, word(3n)],
      [B, A, word(3n)],
      [A, B, word(3n)],
    ]);
  });

  it("counts only deposits of the wrapped coin's contract", () => {
    const deposit = (address: string) => log(address, [DEPOSIT_TOPIC, addressTopic(A)], word(5n));
    const { logs } = decodeLogs([deposit(OTHER), deposit(PUNKS)], { wrappedNative: OTHER });
    expect(logs.map(({ isErc20 }) => isErc20)).toEqual([true, false]);
  });
});

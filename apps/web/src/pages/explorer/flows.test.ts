import type { TransactionLog } from "@purse/client";
import { encodeAbiParameters, type Hex, pad, toEventSelector, toHex } from "viem";
import { expect, it } from "vitest";
import { flowsOf, netChanges } from "./flows.ts";

const ADA = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const BOB = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const COIN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

function log(index: number, signature: string, indexed: Hex[], data: Hex): TransactionLog {
  const [topic1 = null, topic2 = null, topic3 = null] = indexed.map((each) => pad(each));
  return {
    log_index: String(index),
    transaction_hash: "0x",
    transaction_index: "0",
    address: COIN,
    data,
    topic0: toEventSelector(signature),
    topic1,
    topic2,
    topic3,
    block_timestamp: "",
    block_number: "1",
    block_hash: "0x",
  };
}

const TRANSFER = "Transfer(address,address,uint256)";
const coins = (index: number, from: Hex, to: Hex, value: bigint) =>
  log(index, TRANSFER, [from, to], encodeAbiParameters([{ type: "uint256" }], [value]));

it("flowsOf() reads transfers of tokens, NFTs and batches", () => {
  const two = encodeAbiParameters(
    [{ type: "uint256[]" }, { type: "uint256[]" }],
    [
      [1n, 2n],
      [10n, 20n],
    ],
  );
  const flows = flowsOf([
    coins(0, ADA, BOB, 5n),
    log(1, TRANSFER, [ADA, BOB, toHex(9n)], "0x"),
    log(2, "TransferBatch(address,address,address,uint256[],uint256[])", [ADA, ADA, BOB], two),
    log(3, "Nothing(uint256)", [], "0x"),
  ]);
  expect(flows.map(({ key, amount, tokenId }) => [key, amount, tokenId])).toEqual([
    ["0/0", 5n, undefined],
    ["1/0", 1n, "9"],
    ["2/0", 10n, "1"],
    ["2/1", 20n, "2"],
  ]);
});

it("netChanges() sums the changes of an address", () => {
  const flows = flowsOf([coins(0, ADA, BOB, 5n), coins(1, BOB, ADA, 2n), coins(2, BOB, BOB, 7n)]);
  expect([...netChanges(flows, ADA)]).toEqual([[COIN, -3n]]);
  expect([...netChanges(flows, BOB)]).toEqual([[COIN, 3n]]);
});

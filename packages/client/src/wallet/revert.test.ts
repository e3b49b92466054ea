import { describe, expect, it } from "vitest";
import { revertOf } from "./revert.ts";

/** Error(string) with "no stock". */
const DATA =
  "0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000086e6f2073746f636b000000000000000000000000000000000000000000000000";
const PANIC = `0x4e487b71${"0".repeat(62)}11`;

describe("the reason of a reverted call", () => {
  it.each([
    ["nodes", { code: 3, message: "execution reverted: no stock", data: DATA }],
    ["MetaMask", { code: -32603, message: "Internal JSON-RPC error.", data: { code: 3, data: DATA } }],
    ["Ganache and Hardhat", { code: -32603, message: "Error", data: { message: "revert", data: DATA } }],
    ["ethers", { code: "UNPREDICTABLE_GAS_LIMIT", error: { error: { data: DATA } } }],
    ["viem", Object.assign(new Error("call"), { cause: Object.assign(new Error("rpc"), { data: DATA }) })],
    ["some wallets", { data: { originalError: { data: DATA } } }],
  ])("is read from the error data of %s", async (_name, error) => {
    expect(await revertOf(error)).toMatchObject({ reason: "no stock", errorName: "Error", data: DATA });
  });

  it.each([
    ["execution reverted: no stock", "no stock"],
    ["VM Exception while processing transaction: reverted with reason string 'no stock'", "no stock"],
    ["execution reverted", "no reason given"],
  ])("is read from the message %s if there is no data", async (message, reason) => {
    expect(await revertOf(new Error(message))).toMatchObject({ reason, errorName: null });
  });

  it("is a description for Solidity panics", async () => {
    expect(await revertOf({ data: PANIC })).toMatchObject({ reason: "arithmetic overflow or underflow" });
  });

  const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, "0");
  const SENDER = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
  const TOO_LITTLE = `${word(SENDER)}${word(0n)}${word(5n)}`;

  it.each([
    ["in the data", { data: `0xe450d38c${TOO_LITTLE}` }],
    [
      "in the message, as Anvil writes it",
      new Error(`execution reverted: custom error 0xe450d38c: ${TOO_LITTLE}`),
    ],
  ])("is the error of a standard that the ABI does not contain, %s", async (_, error) => {
    expect(await revertOf(error)).toEqual({
      reason: `ERC20InsufficientBalance(${SENDER}, 0, 5)`,
      errorName: "ERC20InsufficientBalance",
      errorArgs: [SENDER, 0n, 5n],
      data: `0xe450d38c${TOO_LITTLE}`,
    });
  });

  it("is an error of OpenZeppelin's contracts without arguments", async () => {
    expect(await revertOf(new Error("execution reverted: custom error 0xd93c0665"))).toMatchObject({
      reason: "EnforcedPause()",
      errorName: "EnforcedPause",
    });
  });

  it("is the raw data if the ABI does not contain the error", async () => {
    expect(await revertOf({ data: "0x12345678" })).toMatchObject({ reason: "0x12345678", errorName: null });
  });

  it.each([
    [{ code: 4001, message: "User rejected the request." }],
    [new Error("insufficient funds for gas * price + value")],
    ["text"],
    [null],
  ])("is null for other errors: %o", async (error) => {
    expect(await revertOf(error)).toBeNull();
  });
});

import { type Abi, encodeErrorResult, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { revertOf } from "./revert.ts";
import { STANDARD_ERRORS } from "./standardErrors.ts";

/** Error(string) with "no stock". */
const DATA =
  "0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000086e6f2073746f636b000000000000000000000000000000000000000000000000";
const ADA = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
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

  it.each([
    ["ERC20InsufficientBalance", [ADA, 5n, 7n], `ERC20InsufficientBalance(${ADA}, 5, 7)`],
    ["ERC721NonexistentToken", [9n], "ERC721NonexistentToken(9)"],
    ["OwnableUnauthorizedAccount", [ADA], `OwnableUnauthorizedAccount(${ADA})`],
  ])(
    "is the name and the arguments of the standard error %s, without an ABI",
    async (errorName, args, reason) => {
      const abi: Abi = parseAbi(STANDARD_ERRORS);
      const data = encodeErrorResult({ abi, errorName, args });
      expect(await revertOf({ data })).toEqual({ reason, errorName, errorArgs: args, data });
    },
  );

  it("is that of the contract if its ABI has an error with the same selector", async () => {
    const abi = parseAbi(["error EnforcedPause()", "error Late(uint256 block)"]);
    const data = encodeErrorResult({ abi, errorName: "Late", args: [3n] });
    expect(await revertOf({ data }, abi)).toMatchObject({ reason: "Late(3)" });
  });

  it("is in the message of nodes such as Anvil, without the data of the error", async () => {
    expect(await revertOf(new Error("execution reverted: custom error 0xd93c0665"))).toMatchObject({
      reason: "EnforcedPause()",
      errorName: "EnforcedPause",
    });
  });

  it("is the raw data if neither the ABI nor a standard has the error", async () => {
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

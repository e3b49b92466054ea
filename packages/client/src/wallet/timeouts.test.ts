import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOWER, type ScriptedProvider, scriptedProvider } from "../../test/scriptedProvider.ts";
import { connect } from "../connection.ts";
import { memoryStorage } from "../storage.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { writeContract } from "./contract.ts";
import { executeFunction } from "./executeFunction.ts";
import { sendTransaction } from "./send.ts";
import { signMessage, signTypedData } from "./sign.ts";
import { cancelTransaction, speedUpTransaction } from "./speedUpCancel.ts";
import type { WaitOptions } from "./timeouts.ts";
import { transfer } from "./transfer.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";

const NEVER = () => new Promise(() => {});
const ADDRESS = `0x${"12".repeat(20)}` as const;
const APPROVAL_METHODS = ["personal_sign", "eth_signTypedData_v4", "eth_sendTransaction"];
let provider: ScriptedProvider;

class Scripted extends AbstractWeb3Connector {
  override async activate(): Promise<Activation> {
    return this.completeActivation(provider, [LOWER], "0x539");
  }
}

/** A wallet that never answers requests for approval. */
beforeEach(async () => {
  provider = scriptedProvider({
    ...Object.fromEntries(APPROVAL_METHODS.map((method) => [method, NEVER])),
    eth_estimateGas: "0x5208",
    eth_blockNumber: "0x1",
    eth_getTransactionByHash: null,
    eth_gasPrice: "0x1",
  });
  connect({ applicationId: "app", storage: memoryStorage() });
  await enableWeb3({ connector: Scripted });
});
afterEach(() => deactivateWeb3());

const abi = [
  { type: "function", name: "buy", stateMutability: "payable", inputs: [], outputs: [] },
  { type: "function", name: "total", stateMutability: "view", inputs: [], outputs: [{ type: "uint256" }] },
] as const;
const typed = { types: { Mail: [{ name: "to", type: "string" }] }, message: { to: "ada" } };
const reference = {
  hash: "0xaa",
  chainId: "0x539",
  from: LOWER,
  nonce: 1,
  call: { to: ADDRESS, value: "1", data: "0x" },
};

type Ask = (waiting: WaitOptions) => Promise<unknown>;
const asks: [string, Ask][] = [
  ["signMessage", (waiting) => signMessage("hello", waiting)],
  ["signTypedData", (waiting) => signTypedData(typed, waiting)],
  ["sendTransaction", (waiting) => sendTransaction({ to: ADDRESS, value: 1n }, waiting)],
  ["transfer", (waiting) => transfer({ receiver: ADDRESS, amount: "1", ...waiting })],
  [
    "executeFunction",
    (waiting) => executeFunction({ contractAddress: ADDRESS, abi, functionName: "buy", ...waiting }),
  ],
  ["writeContract", (waiting) => writeContract({ address: ADDRESS, abi, functionName: "buy", ...waiting })],
  ["speedUpTransaction", (waiting) => speedUpTransaction(reference, waiting)],
  ["cancelTransaction", (waiting) => cancelTransaction(reference, waiting)],
];

const hasRequestedApproval = () => provider.calls.some(({ method }) => APPROVAL_METHODS.includes(method));

describe.each(asks)("%s", (_name, ask) => {
  it("rejects after its timeout", async () => {
    await expect(ask({ timeoutMs: 5 })).rejects.toThrow("The wallet did not answer in time");
    expect(hasRequestedApproval()).toBe(true);
  });

  it("can be cancelled while the wallet waits for approval", async () => {
    const cancelled = new AbortController();
    const pendingCall = ask({ signal: cancelled.signal });
    pendingCall.catch(() => undefined);
    await expect.poll(hasRequestedApproval).toBe(true);
    cancelled.abort(new Error("enough"));
    await expect(pendingCall).rejects.toThrow("enough");
  });

  it("sends no request if it was cancelled before", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(ask({ signal })).rejects.toThrow("enough");
    expect(hasRequestedApproval()).toBe(false);
  });
});

it("executeFunction() has a timeout for view functions, too", async () => {
  provider.responses.eth_call = NEVER;
  const call = { contractAddress: ADDRESS, abi, functionName: "total" };
  await expect(executeFunction({ ...call, timeoutMs: 5 })).rejects.toThrow("did not answer in time");
});

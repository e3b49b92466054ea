import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ACCOUNT, LOWER, type ScriptedProvider, scriptedProvider } from "../../test/scriptedProvider.ts";
import { connect } from "../connection.ts";
import { memoryStorage } from "../storage.ts";
import { accountKind } from "./accountKind.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { ProviderError } from "./eip1193.ts";
import { simulateCalls } from "./simulate.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";
import { callsStatus, isBatchRefused, sendCalls, waitForCalls, walletCapabilities } from "./walletCalls.ts";

const TOKEN = `0x${"11".repeat(20)}`;
const ROUTER = `0x${"22".repeat(20)}`;
const HASH = `0x${"ab".repeat(32)}`;
const CALLS = [
  { to: TOKEN, data: "0x095ea7b3" },
  { to: ROUTER, data: "0x12345678", value: 7n },
];
let provider: ScriptedProvider;
let chainId: string | null;

class Scripted extends AbstractWeb3Connector {
  override async activate(): Promise<Activation> {
    return this.completeActivation(provider, [ACCOUNT], chainId);
  }
}

beforeEach(async () => {
  provider = scriptedProvider();
  chainId = "0x539";
  connect({ applicationId: "app", serverUrl: "http://127.0.0.1:9/server", storage: memoryStorage() });
  await enableWeb3({ connector: Scripted });
});
afterEach(() => deactivateWeb3());

const paramsOf = (method: string) => provider.calls.find((call) => call.method === method)?.params;

describe("walletCapabilities()", () => {
  it.each([
    ["a wallet that executes calls together", { "0x539": { atomic: { status: "supported" } } }, "supported"],
    ["a wallet that upgrades the account first", { "0x0539": { atomic: { status: "ready" } } }, "ready"],
    ["capabilities on all chains", { "0x0": { atomic: { status: "supported" } } }, "supported"],
    ["a wallet of an earlier draft", { "0x539": { atomicBatch: { supported: true } } }, "supported"],
    ["another chain", { "0x1": { atomic: { status: "supported" } } }, "unsupported"],
    ["an unknown status", { "0x539": { atomic: { status: "maybe" } } }, "unsupported"],
    ["a wallet without the request", new ProviderError(4200, "unknown method"), "unsupported"],
    ["a response of another shape", ["0x539"], "unsupported"],
  ])("understands %s", async (_, response, atomic) => {
    provider.responses.wallet_getCapabilities = response;
    expect((await walletCapabilities()).atomic).toBe(atomic);
    expect(paramsOf("wallet_getCapabilities")).toEqual([LOWER, ["0x539"]]);
  });

  it("reports whether a service may pay fees", async () => {
    provider.responses.wallet_getCapabilities = { "0x539": { paymasterService: { supported: true } } };
    expect(await walletCapabilities()).toEqual({ atomic: "unsupported", paymaster: true });
  });
});

describe("sendCalls()", () => {
  it("requests the wallet's approval of all calls, and resolves when they were executed", async () => {
    const statuses = [
      { status: 100 },
      {
        status: 200,
        atomic: true,
        receipts: [{ transactionHash: HASH, blockNumber: "0x5", status: "0x1", logs: [] }],
      },
    ];
    provider.responses.wallet_sendCalls = { id: "calls-1" };
    provider.responses.wallet_getCallsStatus = () => statuses.shift();
    const sent = await sendCalls(CALLS, { chainId: "0x539" });
    expect(sent).toMatchObject({ id: "calls-1", from: LOWER, chainId: "0x539" });
    expect(paramsOf("wallet_sendCalls")).toEqual([
      {
        version: "2.0.0",
        from: LOWER,
        chainId: "0x539",
        atomicRequired: true,
        calls: [
          { to: TOKEN, data: "0x095ea7b3", value: "0x0" },
          { to: ROUTER, data: "0x12345678", value: "0x7" },
        ],
      },
    ]);
    const { status, receipts } = await sent.wait({ pollMs: 1 });
    expect([status, receipts[0]?.transactionHash]).toEqual(["confirmed", HASH]);
    expect(paramsOf("wallet_getCallsStatus")).toEqual(["calls-1"]);
  });

  it("names the expected chain if the wallet does not report its chain, and rejects without one", async () => {
    chainId = null;
    provider = scriptedProvider({ eth_chainId: null, wallet_sendCalls: { id: "calls-1" } });
    await enableWeb3({ connector: Scripted });
    await expect(sendCalls(CALLS)).rejects.toThrow("The wallet does not report its chain");
    expect(paramsOf("wallet_sendCalls")).toBeUndefined();
    expect(await sendCalls(CALLS, { chainId: 1337 })).toMatchObject({ chainId: "0x539" });
    expect(paramsOf("wallet_sendCalls")).toMatchObject([{ chainId: "0x539" }]);
  });

  it("waits for the wallet that has sent the calls, also after another one was connected", async () => {
    provider.responses.wallet_sendCalls = { id: "calls-1" };
    provider.responses.wallet_getCallsStatus = { status: 200 };
    const sent = await sendCalls(CALLS);
    provider = scriptedProvider({ wallet_getCallsStatus: new ProviderError(5730, "unknown id") });
    await enableWeb3({ connector: Scripted });
    expect(await sent.wait()).toMatchObject({ status: "confirmed" });
    await deactivateWeb3();
    expect(await sent.wait()).toMatchObject({ status: "confirmed" });
  });

  it("rejects without prompting the user on another chain, or without calls", async () => {
    await expect(sendCalls(CALLS, { chainId: "0x1" })).rejects.toThrow("The wallet is on chain 0x539");
    await expect(sendCalls([])).rejects.toThrow("There are no calls to send");
    expect(paramsOf("wallet_sendCalls")).toBeUndefined();
  });

  it("passes on the wallet's errors, of which some mean that the calls can be sent one by one", async () => {
    provider.responses.wallet_sendCalls = new ProviderError(5750, "no smart account");
    const refused: unknown = await sendCalls(CALLS).catch((error: unknown) => error);
    expect(isBatchRefused(refused)).toBe(true);
    provider.responses.wallet_sendCalls = new ProviderError(4001, "rejected");
    const rejected: unknown = await sendCalls(CALLS).catch((error: unknown) => error);
    expect(isBatchRefused(rejected)).toBe(false);
    expect(isBatchRefused(new Error("no code"))).toBe(false);
  });

  it("rejects if the wallet returns no id", async () => {
    provider.responses.wallet_sendCalls = {};
    await expect(sendCalls(CALLS)).rejects.toThrow("The wallet has sent nothing");
  });
});

describe("callsStatus()", () => {
  it.each([
    [100, "pending"],
    [200, "confirmed"],
    [400, "failed"],
    [500, "reverted"],
    [600, "partial"],
    [999, "unknown"],
    ["PENDING", "pending"],
    ["CONFIRMED", "confirmed"],
  ])("understands the status %s", async (status, expected) => {
    provider.responses.wallet_getCallsStatus = { status };
    expect(await callsStatus("id")).toEqual({ status: expected, isAtomic: null, receipts: [] });
  });

  it.each([
    [true, true],
    [false, false],
    [undefined, null],
  ])("reports as isAtomic what the wallet says: %s", async (atomic, isAtomic) => {
    provider.responses.wallet_getCallsStatus = { status: 200, atomic };
    expect(await callsStatus("id")).toMatchObject({ isAtomic });
  });

  it("returns receipts with only the fields that wallets report", async () => {
    const log = { address: TOKEN.toUpperCase().replace("0X", "0x"), topics: [HASH], data: "0x01" };
    const receipt = {
      transactionHash: HASH,
      blockHash: HASH,
      blockNumber: "0x5",
      gasUsed: "0x10",
      status: "0x1",
    };
    provider.responses.wallet_getCallsStatus = { status: 200, receipts: [{ ...receipt, logs: [log] }] };
    expect((await callsStatus("id")).receipts).toEqual([
      {
        transactionHash: HASH,
        blockHash: HASH,
        blockNumber: 5,
        gasUsed: 16n,
        status: 1,
        succeeded: true,
        logs: [{ address: TOKEN, topics: [HASH], data: "0x01" }],
      },
    ]);
  });

  it("rejects if the wallet reports no status", async () => {
    provider.responses.wallet_getCallsStatus = null;
    await expect(callsStatus("id")).rejects.toThrow("The wallet reported no status of the calls");
  });

  it("understands a reverted transaction of a wallet of an earlier draft", async () => {
    const receipts = [{ status: "0x0", transactionHash: HASH, blockNumber: "0x5" }];
    provider.responses.wallet_getCallsStatus = { status: "CONFIRMED", receipts };
    expect(await callsStatus("id")).toMatchObject({ status: "reverted" });
  });
});

describe("waitForCalls()", () => {
  it("rejects with the reason of the signal when it is aborted", async () => {
    provider.responses.wallet_getCallsStatus = { status: 100 };
    const controller = new AbortController();
    const waiting = waitForCalls("id", { signal: controller.signal, pollMs: 60_000 });
    await expect.poll(() => paramsOf("wallet_getCallsStatus")).toEqual(["id"]);
    controller.abort(new Error("left the page"));
    await expect(waiting).rejects.toThrow("left the page");
  });

  it.each([5730, 4100, 4200, -32601])("rejects with the wallet's error %i, which is final", async (code) => {
    provider.responses.wallet_getCallsStatus = new ProviderError(code, "refused");
    await expect(waitForCalls("id")).rejects.toMatchObject({ code });
  });

  it("rejects if no wallet is connected", async () => {
    await deactivateWeb3();
    await expect(waitForCalls("id")).rejects.toThrow();
  });

  it("polls again after a request that failed, had no answer, or was answered with null", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers = [
      () => Promise.reject(new ProviderError(-32603, "internal error")),
      () => new Promise(() => undefined),
      () => null,
      () => ({ status: 100 }),
      () => ({ status: 200 }),
    ];
    provider.responses.wallet_getCallsStatus = () => answers.shift()?.();
    const waiting = waitForCalls("id", { pollMs: 5 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(answers).toEqual([]);
    expect(await waiting).toMatchObject({ status: "confirmed" });
  });

  it("polls a wallet that fails at growing intervals", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    provider.responses.wallet_getCallsStatus = new ProviderError(-32603, "internal error");
    const controller = new AbortController();
    const waiting = waitForCalls("id", { pollMs: 5, signal: controller.signal });
    const rejection = expect(waiting).rejects.toThrow("enough");
    await vi.advanceTimersByTimeAsync(200);
    controller.abort(new Error("enough"));
    await rejection;
    const polls = provider.calls.filter(({ method }) => method === "wallet_getCallsStatus").length;
    expect(polls).toBeGreaterThan(2);
    expect(polls).toBeLessThan(10);
  });
});

describe("simulateCalls()", () => {
  const word = (value: string) => `0x${value.padStart(64, "0")}`;
  const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const done = { status: "0x1", gasUsed: "0x10", logs: [] };

  beforeEach(() => {
    provider.responses.eth_gasPrice = "0x1";
    provider.responses.eth_getBlockByNumber = { baseFeePerGas: "0x1", number: "0x1" };
    provider.responses.eth_feeHistory = { baseFeePerGas: ["0x1"], reward: [["0x1", "0x1", "0x1"]] };
    provider.responses.eth_maxPriorityFeePerGas = "0x1";
  });

  it("sums the balance changes and the gas of all calls", async () => {
    const log = {
      address: TOKEN,
      topics: [TRANSFER, word(LOWER.slice(2)), word(ROUTER.slice(2))],
      data: word("5"),
    };
    provider.responses.eth_simulateV1 = [{ calls: [done, { ...done, logs: [log] }] }];
    const { revert, gas, changes, complete } = await simulateCalls(CALLS);
    expect([revert, gas, complete]).toEqual([null, 32n, true]);
    expect(changes).toEqual([{ type: "erc20", contractAddress: TOKEN, tokenId: null, amount: -5n }]);
  });

  it("returns the reason of the call that would revert", async () => {
    const failed = {
      status: "0x0",
      returnData: "0x",
      error: { code: 3, message: "execution reverted: too late" },
    };
    provider.responses.eth_simulateV1 = [{ calls: [done, failed] }];
    expect(await simulateCalls(CALLS)).toMatchObject({ revert: { reason: "too late" }, gas: null });
  });

  it("knows nothing of the calls' effects if the node cannot simulate them", async () => {
    expect(await simulateCalls(CALLS)).toMatchObject({
      revert: null,
      gas: null,
      changes: [],
      complete: false,
    });
  });
});

describe("accountKind()", () => {
  it.each([
    ["0x", { kind: "key" }],
    [`0xef0100${"AB".repeat(20)}`, { kind: "delegated", delegate: `0x${"ab".repeat(20)}` }],
    ["0x6001", { kind: "contract" }],
  ])("tells accounts apart by the code %s", async (code, expected) => {
    provider.responses.eth_getCode = code;
    expect(await accountKind(ACCOUNT)).toEqual(expected);
  });
});

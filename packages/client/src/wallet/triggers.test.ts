import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { web3Sign, web3SignV4, web3Transaction } from "./triggers.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";

const ACCOUNT = `0x${"a1".repeat(20)}`;
const OTHER = `0x${"c3".repeat(20)}`;
const HASH = `0x${"b2".repeat(32)}`;
const calls: { method: string; params?: unknown }[] = [];
let status = "0x1";

const sent = () => calls.filter(({ method }) => method === "eth_sendTransaction");
const signed = () => calls.filter(({ method }) => method === "eth_signTypedData_v4");

/** A wallet that executes everything immediately and records the requests. */
class Wallet extends AbstractWeb3Connector {
  override type = "test";

  override async activate(): Promise<Activation> {
    this.provider = {
      on: () => undefined,
      removeListener: () => undefined,
      async request(call) {
        calls.push(call);
        if (call.method === "eth_accounts") return [ACCOUNT];
        if (call.method === "eth_chainId") return "0x539";
        if (call.method === "eth_estimateGas") return "0x64";
        if (call.method === "eth_sendTransaction") return HASH;
        if (call.method === "eth_signTypedData_v4") return "0x5161";
        if (call.method === "eth_getTransactionByHash") return null;
        if (call.method === "eth_getTransactionReceipt") {
          return { transactionHash: HASH, blockHash: "0xb", blockNumber: "0x5", from: ACCOUNT, status };
        }
        return "0x5";
      },
    };
    return { provider: this.provider, account: ACCOUNT, chainId: "0x539" };
  }
}

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  calls.length = 0;
  status = "0x1";
  await enableWeb3({ connector: Wallet });
});
afterEach(async () => {
  await deactivateWeb3();
  await server.stop();
});

describe("a plugin's trigger for the wallet", () => {
  it("sends a transaction from the active account, with a hex value and a gas margin", async () => {
    const trigger = { data: { to: OTHER, value: "255", data: "0x12", from: ACCOUNT } };
    expect(await web3Transaction(trigger)).toMatchObject({ hash: HASH, chainId: 1337, value: 255n });
    expect(sent()).toEqual([
      {
        method: "eth_sendTransaction",
        params: [{ from: ACCOUNT, to: OTHER, value: "0xff", data: "0x12", gas: "0x78" }],
      },
    ]);
  });

  it("resolves once the transaction is in a block, and rejects if it failed", async () => {
    const trigger = { shouldAwait: true, data: { to: OTHER } };
    expect(await web3Transaction(trigger)).toMatchObject({ transactionHash: HASH, succeeded: true });
    status = "0x0";
    await expect(web3Transaction(trigger)).rejects.toThrow(`Transaction ${HASH} failed`);
  });

  it.each(["1.5", "-1", "a lot", null])("is rejected with the value %s", async (value) => {
    await expect(web3Transaction({ data: { to: OTHER, value } })).rejects.toThrow("whole number of wei");
    expect(sent()).toEqual([]);
  });

  it("is rejected if it is for another account", async () => {
    await expect(web3Transaction({ data: { to: OTHER, from: OTHER } })).rejects.toThrow(
      `The wallet's account is ${ACCOUNT}, not ${OTHER}`,
    );
    expect(sent()).toEqual([]);
  });

  it("signs typed data in both formats", async () => {
    const types = { Mail: [{ name: "text", type: "string" }] };
    const message = JSON.stringify({ domain: { chainId: 1337 }, types, message: { text: "hi" } });
    expect(await web3Sign({ data: { message, signer: ACCOUNT } })).toBe("0x5161");
    const parameters = [ACCOUNT, message];
    expect(await web3SignV4({ data: { parameters, from: ACCOUNT } })).toEqual({ result: "0x5161" });
    for (const { params } of signed()) {
      const [account, text] = Array.isArray(params) ? params : [];
      expect(account).toBe(ACCOUNT);
      expect(JSON.parse(text)).toEqual({
        domain: { chainId: 1337 },
        types: { ...types, EIP712Domain: [{ name: "chainId", type: "uint256" }] },
        primaryType: "Mail",
        message: { text: "hi" },
      });
    }
  });

  it.each([
    [() => web3Sign({ data: { signer: ACCOUNT } }), "web3Sign trigger does not have a message to sign"],
    [() => web3Sign({ data: { message: "{}" } }), "web3Sign trigger signer address missing or invalid"],
    [() => web3SignV4({ data: { from: ACCOUNT } }), "web3SignV4 trigger does not have `parameters` to sign"],
    [() => web3SignV4({ data: { parameters: [] } }), "web3SignV4 trigger does not have a `from` address"],
  ])("is rejected if a parameter is missing", async (run, message) => {
    await expect(run()).rejects.toThrow(message);
    expect(signed()).toEqual([]);
  });
});

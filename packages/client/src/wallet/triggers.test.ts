import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../recordingServer.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { web3Sign, web3SignV4, web3Transaction } from "./triggers.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";

const ACCOUNT = `0x${"a1".repeat(20)}`;
const HASH = `0x${"b2".repeat(32)}`;
const asked: { method: string; params?: unknown }[] = [];
let status = "0x1";

/** A wallet that does everything at once, and keeps what it was asked. */
class Wallet extends AbstractWeb3Connector {
  override type = "test";

  async activate(): Promise<Activation> {
    this.provider = {
      on: () => undefined,
      removeListener: () => undefined,
      async request(call) {
        asked.push(call);
        if (call.method === "eth_sendTransaction") return HASH;
        if (call.method === "eth_signTypedData_v4") return "0x5161";
        if (call.method === "eth_getTransactionReceipt") return { blockNumber: "0x5", status };
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
  asked.length = 0;
  status = "0x1";
  await enableWeb3({ connector: Wallet });
});
afterEach(async () => {
  await deactivateWeb3();
  await server.stop();
});

describe("what a plugin asks of the wallet", () => {
  it("is to send a transaction, from its account and with hex for a value", async () => {
    const sent = await web3Transaction({ data: { to: "0x1", value: "255", data: "0x12" } });
    expect(sent).toMatchObject({ hash: HASH });
    expect(asked).toEqual([
      {
        method: "eth_sendTransaction",
        params: [{ from: ACCOUNT, to: "0x1", value: "0xff", data: "0x12" }],
      },
    ]);
  });

  it("is done once the transaction is in a block, and not done where it failed there", async () => {
    const trigger = { shouldAwait: true, data: { to: "0x1" } };
    expect(await web3Transaction(trigger)).toMatchObject({ transactionHash: HASH, succeeded: true });
    status = "0x0";
    await expect(web3Transaction(trigger)).rejects.toThrow(`Transaction ${HASH} failed`);
  });

  it.each(["1.5", "-1", "a lot", null])("is refused with a value of %s", async (value) => {
    await expect(web3Transaction({ data: { to: "0x1", value } })).rejects.toThrow("whole number of wei");
    expect(asked).toEqual([]);
  });

  it("is to sign typed data, in either shape", async () => {
    const message = JSON.stringify({ primaryType: "Mail" });
    expect(await web3Sign({ data: { message, signer: "0x2" } })).toBe("0x5161");
    const parameters = ["0x3", message];
    expect(await web3SignV4({ shouldAwait: true, data: { parameters, from: "0x3" } })).toEqual({
      result: "0x5161",
    });
    expect(asked.map(({ params }) => params)).toEqual([
      ["0x2", message],
      ["0x3", message],
    ]);
    expect(await web3SignV4({ data: { parameters, from: "0x3" } })).toBeUndefined();
  });
});

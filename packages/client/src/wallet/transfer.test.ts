import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../recordingServer.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { scriptedProvider } from "./scriptedProvider.ts";
import { transferCall } from "./transfer.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";

const ADDRESS = `0x${"12".repeat(20)}`;
const ZERO = `0x${"0".repeat(64)}`;
let server: RecordingServer;
let asked: unknown[];

class Scripted extends AbstractWeb3Connector {
  override async activate(): Promise<Activation> {
    const provider = scriptedProvider({
      eth_call: (params: unknown) => {
        asked.push(params);
        return ZERO;
      },
    });
    return this.activated(provider, await provider.request({ method: "eth_accounts" }), "0x539");
  }
}

beforeEach(async () => {
  asked = [];
  server = await startRecordingServer();
  server.connect();
  await enableWeb3({ connector: Scripted });
});
afterEach(async () => {
  await deactivateWeb3();
  await server.stop();
});

describe("a transfer to a name", () => {
  it("goes to the address that the data service knows for it", async () => {
    server.answer(() => ({ body: { result: { address: ADDRESS } } }));
    expect(await transferCall({ receiver: "ada.eth", amount: 1 })).toMatchObject({ to: ADDRESS, value: 1n });
    expect(server.requests.map(({ call }) => call)).toEqual(["POST functions/resolveDomain"]);
    expect(asked).toEqual([]);
  });

  it("asks the wallet's chain where the data service does not know it, and sends nothing to a guess", async () => {
    server.answer(() => ({ status: 404, body: { code: 101, error: "stands for no address" } }));
    await expect(transferCall({ receiver: "nobody.eth", amount: 1 })).rejects.toThrow(
      "Nobody receives at the name nobody.eth",
    );
    expect(asked).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { scriptedProvider } from "../../test/scriptedProvider.ts";
import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { transferCall } from "./transfer.ts";
import { deactivateWeb3, enableWeb3 } from "./wallet.ts";

const ADDRESS = `0x${"12".repeat(20)}`;
const ZERO = `0x${"0".repeat(64)}`;
let server: RecordingServer;
let calls: unknown[];

class Scripted extends AbstractWeb3Connector {
  override async activate(): Promise<Activation> {
    const provider = scriptedProvider({
      eth_call: (params: unknown) => {
        calls.push(params);
        return ZERO;
      },
    });
    return this.completeActivation(provider, await provider.request({ method: "eth_accounts" }), "0x539");
  }
}

beforeEach(async () => {
  calls = [];
  server = await startRecordingServer();
  server.connect();
  await enableWeb3({ connector: Scripted });
});
afterEach(async () => {
  await deactivateWeb3();
  await server.stop();
});

describe("a transfer to a name", () => {
  it("goes to the address that the data API returns", async () => {
    server.respondWith(() => ({ body: { result: { address: ADDRESS } } }));
    expect(await transferCall({ receiver: "ada.eth", amount: 1 })).toMatchObject({ to: ADDRESS, value: 1n });
    expect(server.requests.map(({ call }) => call)).toEqual(["POST functions/resolveDomain"]);
    expect(calls).toEqual([]);
  });

  it("resolves the name on the wallet's chain if the data API has none, and rejects if that fails", async () => {
    server.respondWith(() => ({ status: 404, body: { code: 101, error: "does not resolve to an address" } }));
    await expect(transferCall({ receiver: "nobody.eth", amount: 1 })).rejects.toThrow(
      "The name nobody.eth does not resolve to an address",
    );
    expect(calls).toHaveLength(1);
  });
});

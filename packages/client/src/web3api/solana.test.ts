import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { User } from "../user/User.ts";
import { SolanaAPI } from "./solana.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(async () => {
  SolanaAPI.initialize({ serverUrl: server.url });
  await server.stop();
});

describe("SolanaAPI", () => {
  it("calls cloud functions of the server, by default for the signed-in user on mainnet", async () => {
    await User.hydrate({ objectId: "u1", sessionToken: "r:1", solAddress: "Sol1" });
    server.respondWith(() => ({ body: { result: { solana: "1", lamports: "1000000000" } } }));
    expect(await SolanaAPI.account.balance()).toEqual({ solana: "1", lamports: "1000000000" });
    await SolanaAPI.nft.getNFTMetadata({ address: "Mint", network: "devnet" });
    expect(server.requests).toMatchObject([
      {
        call: "POST functions/sol-balance",
        body: { address: "Sol1", network: "mainnet", responseType: "native" },
      },
      { call: "POST functions/sol-getNFTMetadata", body: { address: "Mint", network: "devnet" } },
    ]);
  });

  it("reports a server without the cloud functions of Solana data", async () => {
    server.respondWith(() => ({ status: 400, body: { code: 141, error: 'Invalid function: "sol-getSPL"' } }));
    await expect(SolanaAPI.account.getSPL({ address: "Sol1" })).rejects.toThrow(
      'This server has no Solana data: define the cloud function "sol-getSPL"',
    );
  });

  it("can call a REST service", async () => {
    expect(() => SolanaAPI.initialize({})).toThrow(
      "SolanaApi.initialize failed: initialize with apiKey or serverUrl",
    );
    SolanaAPI.initialize({ apiKey: "key", baseURL: server.url });
    server.respondWith(() => ({ body: [] }));
    expect(await SolanaAPI.account.getNFTs({ address: "Sol1" })).toEqual([]);
    expect(server.requests[0]).toMatchObject({
      call: "GET account/mainnet/Sol1/nft?responseType=native",
      headers: { "x-api-key": "key" },
    });
  });
});

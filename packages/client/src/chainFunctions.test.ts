import { afterEach, beforeEach, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import {
  getAllERC20,
  getERC20,
  getNFTs,
  getNFTsCount,
  getTransactions,
  getTransactionsCount,
} from "./chainFunctions.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => ({ body: { result: [] } }));
});
afterEach(() => server.stop());

it.each([
  [() => getAllERC20({ chain: "bsc", address: "0x1" }), "getAllERC20", { chain: "bsc", address: "0x1" }],
  [() => getERC20({ symbol: "LINK" }), "getERC20", { symbol: "LINK" }],
  [() => getNFTs(), "getNFTs_old", { chain: "Eth", address: "" }],
  [() => getNFTsCount({ address: "0x1" }), "getNFTsCount_old", { chain: "Eth", address: "0x1" }],
  [() => getTransactions(), "getTransactions", { chain: "Eth", address: "", order: "desc" }],
  [() => getTransactions({ order: "asc" }), "getTransactions", { chain: "Eth", address: "", order: "asc" }],
  [() => getTransactionsCount(), "getTransactionsCount", { chain: "Eth", address: "" }],
])(
  "The chain methods from before the Web3API call the legacy cloud functions: %#",
  async (ask, name, params) => {
    expect(await ask()).toEqual([]);
    expect(server.requests[0]).toMatchObject({ call: `POST functions/${name}`, body: params });
  },
);

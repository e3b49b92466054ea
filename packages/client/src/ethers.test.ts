import { ethers } from "ethers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { loadEthers, web3Library, web3Of } from "./ethers.ts";
import { Moralis } from "./namespace.ts";
import type { Eip1193Provider } from "./wallet/eip1193.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

const provider: Eip1193Provider = {
  request: async ({ method }) => (method === "eth_chainId" ? "0x539" : "0x1"),
};

describe("the ethers library for legacy code", () => {
  it("is unavailable until it is loaded, and the error explains how to load it", () => {
    expect(() => web3Library()).toThrow('install "ethers@5" and pass it to Moralis.start({ ethers })');
    expect(() => Moralis.web3Library).toThrow("ethers 5 is not installed");
    expect(web3Of(provider)).toBe(provider);
  });

  it("is the installed version, which wraps wallets in its providers", async () => {
    expect(await loadEthers()).toBe(ethers);
    expect(Moralis.web3Library).toBe(ethers);
    const web3 = web3Of(provider);
    expect(web3).toBeInstanceOf(ethers.providers.Web3Provider);
    expect(web3Of(provider)).toBe(web3);
  });

  it("can be passed to start()", () => {
    server.connect({ ethers });
    expect(web3Library()).toBe(ethers);
  });

  it.each([
    ["nothing", () => Promise.reject(new Error("Cannot find package 'ethers'"))],
    ["another version", async () => ({ ethers: { version: "6.0.0", BrowserProvider: class {} } })],
  ])("is reported as not installed if the package is %s", async (_name, load) => {
    await expect(loadEthers(load)).rejects.toThrow("ethers 5 is not installed");
  });

  it.each([
    { r: 8, batch: 125 },
    { r: 1, batch: 1000 },
  ])(
    "derives a keystore's key in batches of $batch where r is $r",
    { tags: ["9.key-derivation-batch"] },
    async ({ r, batch }) => {
      const cost = 4096;
      server.connect({ ethers });
      expect(Moralis.web3Library).toBe(ethers);
      const wallet = ethers.Wallet.createRandom();
      let turns = 0;
      let running = true;
      // Between two batches everything else that waits gets its turn.
      const count = (): void => {
        turns += 1;
        if (running) setImmediate(count);
      };
      setImmediate(count);
      await wallet.encrypt("a good password", { scrypt: { N: cost, r, p: 1 } }, () => undefined);
      running = false;
      // The memory is filled once and read once, a block at a time.
      const batches = 2 * Math.ceil(cost / batch);
      expect(turns).toBeGreaterThanOrEqual(batches - 2);
      expect(turns).toBeLessThan(batches + 10);
    },
  );
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChainLibraries } from "./chainLibraries.ts";
import type { HostRequest } from "./workerMessages.ts";

const WEB3 = "module.exports = class Web3 { constructor(provider) { this.currentProvider = provider; } };";
const ETHERS = "exports.ethers = { providers: {} };";

describe("the chain libraries of cloud code", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "purse-chain-libraries-"));
    for (const [name, source] of [
      ["web3", WEB3],
      ["ethers", ETHERS],
    ] as const) {
      mkdirSync(join(folder, "node_modules", name), { recursive: true });
      writeFileSync(join(folder, "node_modules", name, "index.js"), source);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function librariesOf(file: string) {
    const requests: HostRequest[] = [];
    const libraries = createChainLibraries(file, async (request) => {
      requests.push(request);
      return "0x539";
    });
    return { ...libraries, requests };
  }

  it.each(["web3ByChain", "web3ForChain"] as const)(
    "pass requests of the installed web3 to the nodes of the server: %s",
    async (name) => {
      const { [name]: web3For, requests } = librariesOf(join(folder, "main.js"));
      const provider: unknown = Reflect.get(web3For("0x539"), "currentProvider");
      const { request }: { request(call: object): Promise<unknown> } = Object(provider);
      expect(await request({ method: "eth_chainId" })).toBe("0x539");
      expect(requests).toEqual([{ kind: "chainCall", chain: "0x539", method: "eth_chainId", params: [] }]);
    },
  );

  it("name the version that is required if another one is installed", () => {
    const { ethersByChain } = librariesOf(join(folder, "main.js"));
    expect(() => ethersByChain("0x1")).toThrow('The installed ethers is not "ethers@5"');
  });
});

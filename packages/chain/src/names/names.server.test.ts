import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type DevChain, readArtifact, startDevChain } from "@purse/devchain";
import fc from "fast-check";
import {
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  stringToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { normalize } from "viem/ens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import { createChainFolder } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import type { ChainService } from "../chainService.ts";
import { createChainService } from "../createChainService.ts";
import { normalForm } from "./ens.ts";

let folder: string;
let devChain: DevChain;
const services: ChainService[] = [];
let gateway: Server;
let respond: (request: { sender: string; data: Hex }) => { status: number; body: string };
const requests: string[] = [];

beforeAll(async () => {
  folder = await createChainFolder();
  devChain = await startDevChain({ port: 0, dataDir: folder, autoSave: false });
  gateway = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url?.slice(0, 50)}`);
    const [, sender = "", data = "0x"] = (request.url ?? "").split("/");
    const { status, body } = respond({ sender, data: `0x${data.slice(2)}` });
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const service of services) await service.stop();
  gateway?.close();
  await discardChain(devChain);
  await rm(folder, { recursive: true, force: true });
});

function gatewayUrl(): string {
  const address = gateway.address();
  return address && typeof address === "object" ? `http://127.0.0.1:${address.port}` : "";
}

function serve(nameGateways: string[] = [], hasNames = true) {
  const { registry: ens, reader: unstoppable } = devChain.names;
  const chain = { id: devChain.chainId, name: "localdevchain", aliases: ["eth"], rpcUrls: [devChain.url] };
  const service = createChainService({
    chains: [hasNames ? { ...chain, names: { ens, unstoppable } } : chain],
    database: { kind: "sqlite", folder },
    log: createRecordingLogger(),
    nameGateways,
  });
  services.push(service);
  const run = (name: string, params: Record<string, unknown>) => {
    const route = service.routes.find(({ functionName }) => functionName === name);
    if (!route) throw new Error(`there is no ${name}`);
    return route.run(params);
  };
  return {
    resolve: (domain: string) => run("resolveDomain", { domain }),
    reverse: (address: string) => run("resolveAddress", { address }),
  };
}

const account = (index: number) => devChain.accounts[index]?.address ?? "0x";
const notFound = { status: 404, code: 101 };

describe("names", () => {
  it("resolve to the address of their resolver, in any spelling", {
    tags: ["7.data.endpoint.resolve-domain"],
  }, async () => {
    const { resolve } = serve();
    expect(await resolve("alice.eth")).toEqual({ address: account(1) });
    expect(await resolve("BOB.eth")).toEqual({ address: account(2) });
    expect(await resolve("ａlice.eth")).toEqual({ address: account(1) });
  });

  it("are returned for an address if they resolve to it", {
    tags: ["7.data.endpoint.resolve-address-reverse"],
  }, async () => {
    const { reverse } = serve();
    expect(await reverse(account(1))).toEqual({ name: "alice.eth" });
    expect(await reverse(account(2).toUpperCase().replace("0X", "0x"))).toEqual({ name: "bob.eth" });
  });

  it("are not returned for an address that only claims one, or a name that is not normalized", async () => {
    const { reverse } = serve();
    for (const index of [3, 4, 5]) await expect(reverse(account(index))).rejects.toMatchObject(notFound);
  });

  it("that are not registered are not found", async () => {
    const { resolve } = serve();
    for (const domain of ["nobody.eth", "below.alice.eth", "eth.nobody", "a.b.c.d.e.f", "reverse.eth"])
      await expect(resolve(domain)).rejects.toMatchObject(notFound);
  });

  it("that imitate others are rejected", async () => {
    const { resolve } = serve();
    // A Cyrillic а among Latin letters; an invisible letter; standalone marks.
    for (const domain of [
      "\u0430lice.eth",
      "ali\u200bce.eth",
      "al\u0301\u0301ice.eth",
      "ali_ce.eth",
      "xn--lice-43d.eth",
    ])
      await expect(resolve(domain)).rejects.toMatchObject({
        status: expect.toSatisfy((s) => s === 400 || s === 404),
      });
    await expect(resolve("\u0430lice.eth")).rejects.toMatchObject({ status: 400 });
  });

  it("below a name with a wildcard resolver are resolved by it", async () => {
    const { resolve } = serve();
    const address = `0x${keccak256(stringToHex("any")).slice(26)}`;
    expect(await resolve("any.wild.eth")).toEqual({ address });
    expect(await resolve("any.thing.wild.eth")).toEqual({ address });
  });

  it("of Unstoppable Domains are read from their contract", async () => {
    const { resolve } = serve();
    expect(await resolve("Brad.crypto")).toEqual({ address: account(5) });
    await expect(resolve("chad.crypto")).rejects.toMatchObject(notFound);
    await expect(resolve("alice.wallet")).rejects.toMatchObject(notFound);
  });

  it("return 501 if no chain has a registry", async () => {
    await expect(serve(undefined, false).resolve("alice.eth")).rejects.toMatchObject({ status: 501 });
  });
});

describe("names that are resolved off-chain", () => {
  const setUrl = async (url: string) => {
    const wallet = createWalletClient({
      account: privateKeyToAccount(devChain.accounts[0]?.privateKey ?? "0x"),
      transport: http(devChain.url),
    });
    const { abi } = readArtifact("PurseOffchain");
    const data = encodeFunctionData({ abi, functionName: "setUrl", args: [url] });
    await wallet.sendTransaction({ to: devChain.names.offchain, data, chain: null });
  };
  const answers = (hash: Hex, address: Hex) => ({
    status: 200,
    body: JSON.stringify({
      data: encodeAbiParameters([{ type: "bytes32" }, { type: "address" }], [hash, address]),
    }),
  });

  it("are resolved by their gateway, whose response the contract verifies", async () => {
    await setUrl(`${gatewayUrl()}/{sender}/{data}`);
    const { resolve } = serve([gatewayUrl()]);
    respond = ({ data }) => answers(keccak256(data), account(6));
    expect(await resolve("my.offchain.eth")).toEqual({ address: account(6) });
    expect(requests.at(-1)).toMatch(new RegExp(`^GET /${devChain.names.offchain}`));
    respond = () => answers(keccak256("0x"), account(7));
    await expect(resolve("my.offchain.eth")).rejects.toMatchObject(notFound);
  });

  it("have no address if gateways are not allowed or none responds correctly", async () => {
    await setUrl(`${gatewayUrl()}/{sender}/{data}`);
    const before = requests.length;
    await expect(serve().resolve("my.offchain.eth")).rejects.toMatchObject(notFound);
    expect(requests.length).toBe(before);
    const { resolve } = serve([gatewayUrl()]);
    for (const answer of [
      { status: 404, body: "{}" },
      { status: 500, body: "{}" },
      { status: 200, body: "<html>" },
      { status: 200, body: '{"data":"0xzz"}' },
      { status: 200, body: '{"data":5}' },
      { status: 200, body: "null" },
    ]) {
      respond = () => answer;
      await expect(resolve("my.offchain.eth")).rejects.toMatchObject(notFound);
    }
  });
});

describe("normalForm()", () => {
  it.each([
    { name: "alice.eth", normal: "alice.eth" },
    { name: "Alice.eth", normal: "alice.eth" },
    { name: "a1.b2.eth", normal: "a1.b2.eth" },
    { name: "alice..eth", normal: undefined },
    { name: "xn--ls8h.eth", normal: undefined },
  ])("returns $normal for $name", ({ name, normal }) => {
    expect(normalForm(name)).toBe(normal);
  });

  it("returns names of small letters and digits as ENSIP-15 does", () => {
    const plainName = fc.stringMatching(/^[a-z0-9]{1,12}(\.[a-z0-9]{1,12}){0,3}$/);
    fc.assert(
      fc.property(plainName, (name) => {
        expect(normalForm(name)).toBe(normalize(name));
      }),
    );
  });
});

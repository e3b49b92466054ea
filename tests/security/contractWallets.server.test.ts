import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  concat,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  pad,
  serializeErc6492Signature,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { devAccount } from "../support/devAccount.ts";
import { minedReceipt } from "../support/minedReceipt.ts";
import { type Answer, hostPurse, type Purse, rest } from "../support/purse.ts";

/** `isValidSignature` accepts every signature: returns 0x1626ba7e padded to a word. */
const ALWAYS_VALID_CODE = "631626ba7e60e01b60005260206000f3";
/** Writes 1 to its storage. */
const WRITES = "6001600055";
/** Calls itself with all gas that is left. */
const CALLS_ITSELF = "60006000600060006000305af150";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
});
afterAll(() => purse?.remove());
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

const node = () => createPublicClient({ transport: http(purse.rpcUrl) });
const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

/** Deploys code unchanged to the local chain: the first eleven bytes return the rest. */
async function deployCode(code: string): Promise<Hex> {
  const wallet = createWalletClient({ account: devAccount(7), transport: http(purse.rpcUrl) });
  const length = (code.length / 2).toString(16).padStart(2, "0");
  const hash = await wallet.sendTransaction({
    chain: null,
    data: `0x60${length}80600b6000396000f3${code}`,
  });
  const { contractAddress } = await minedReceipt(node(), hash);
  if (!contractAddress) throw new Error("no contract was made");
  return contractAddress;
}

async function signIn(address: Hex, signature: Hex, server = purse, chain = "0x539"): Promise<Answer> {
  const messageReply = await rest(server, "POST", "/functions/requestMessage", { address, chain });
  const data = String(Object(messageReply.body.result).message);
  const moralisEth = { id: address.toLowerCase(), signature, data };
  return rest(server, "POST", "/users", { authData: { moralisEth } });
}

const REFUSED = {
  status: 404,
  body: { code: 101, error: expect.stringMatching(/^Wallet sign-in was refused: /) },
};
/** A signature without a key, from which careless recovery returns the zero address. */
const NO_KEY: Hex = concat([pad("0x0"), pad("0x0"), "0x1b"]);
const wrap = (factory: Hex, signature: Hex, data: Hex = "0x") =>
  serializeErc6492Signature({ address: factory, data, signature });

describe("a contract that accepts every signature", () => {
  it("signs in with its own address only", async () => {
    const id = await deployCode(ALWAYS_VALID_CODE);
    const first = await signIn(id, "0x01");
    expect(first).toMatchObject({ status: 201, body: { ethAddress: id.toLowerCase() } });
    for (const victim of [newAddress(), devAccount(0).address, zeroAddress]) {
      expect(await signIn(victim, "0x01")).toMatchObject(REFUSED);
      expect(await signIn(victim, wrap(id, "0x01"))).toMatchObject(REFUSED);
      expect(await signIn(victim, wrap(id, NO_KEY))).toMatchObject(REFUSED);
    }
  });

  it("cannot deploy a wallet at another address, however the signature is wrapped", async () => {
    const id = await deployCode(ALWAYS_VALID_CODE);
    const victim = newAddress();
    expect(await signIn(victim, wrap(id, wrap(id, "0x01")))).toMatchObject(REFUSED);
    expect(await signIn(victim, wrap(victim, "0x01"))).toMatchObject(REFUSED);
  });
});

describe("addresses that have neither a key nor code", () => {
  it.each([
    ["the zero address", zeroAddress],
    ["the first precompiled contract", `0x${"0".repeat(39)}1` as const],
    ["the burn address", "0x000000000000000000000000000000000000dEaD" as const],
  ])("cannot sign in: %s", async (_name, address) => {
    const factory = await deployCode(ALWAYS_VALID_CODE);
    const signatures: Hex[] = [
      "0x01",
      NO_KEY,
      concat([pad("0x0"), pad("0x0"), "0x1c"]),
      wrap(zeroAddress, NO_KEY),
      wrap(factory, NO_KEY),
      wrap(factory, concat([pad("0x0"), pad("0x1"), "0x1c"])),
      wrap(factory, "0x"),
      `0x${"6492".repeat(16)}`,
    ];
    for (const signature of signatures) expect(await signIn(address, signature)).toMatchObject(REFUSED);
  });
});

describe("a contract with side effects in isValidSignature", () => {
  it("changes nothing on the chain", async () => {
    const id = await deployCode(WRITES + ALWAYS_VALID_CODE);
    const block = await node().getBlockNumber();
    expect((await signIn(id, "0x01")).status).toBe(201);
    expect(await node().getStorageAt({ address: id, slot: "0x0" })).toBe(pad("0x0"));
    expect(await node().getBlockNumber()).toBe(block);
  });

  it("changes nothing as a factory, and is not called if the wallet is deployed", async () => {
    const factory = await deployCode(WRITES + ALWAYS_VALID_CODE);
    expect(await signIn(newAddress(), wrap(factory, "0x01", "0x01"))).toMatchObject(REFUSED);
    const id = await deployCode(ALWAYS_VALID_CODE);
    expect((await signIn(id, wrap(factory, "0x01", "0x01"))).status).toBe(201);
    expect(await node().getStorageAt({ address: factory, slot: "0x0" })).toBe(pad("0x0"));
  });

  it("may recurse until it returns or the gas is used up", async () => {
    const id = await deployCode(CALLS_ITSELF + ALWAYS_VALID_CODE);
    const answer = await signIn(id, "0x01");
    expect([201, 404]).toContain(answer.status);
    const factory = await deployCode(CALLS_ITSELF + ALWAYS_VALID_CODE);
    expect(await signIn(newAddress(), wrap(factory, "0x01", "0x01"))).toMatchObject(REFUSED);
  });

  it.each([
    ["reverts with a megabyte", "620fffff6000fd"],
    ["reverts with a reason that says yes", "631626ba7e60e01b60005260206000fd"],
    ["returns half a word", "631626ba7e60e01b60005260106000f3"],
    ["returns more data than the gas allows", "63ffffffff6000f3"],
    ["destroys itself", "33ff"],
    ["has invalid code", "fe"],
    ["creates contracts in an endless loop", "5b600060006000f050600056"],
    ["reads the code of other contracts in an endless loop", "5b303b50600056"],
  ])("is rejected if it %s", async (_name, code) => {
    const id = await deployCode(code);
    expect(await signIn(id, "0x01")).toMatchObject(REFUSED);
    expect(await signIn(newAddress(), wrap(id, "0x01", "0x01"))).toMatchObject(REFUSED);
    // The contract is unchanged afterwards.
    expect(await node().getCode({ address: id })).toBe(`0x${code}`);
  });
});

describe("a WebSocket node that sends oversized messages", () => {
  let chain: WebSocketServer;
  let http1: Server;
  let server: Purse;
  beforeAll(async () => {
    http1 = createServer();
    chain = new WebSocketServer({ server: http1 });
    // More than the 64 MiB of any response.
    const flood = `0x${"00".repeat(33 * 1024 * 1024)}`;
    chain.on("connection", (socket) =>
      socket.on("message", (text) => {
        const { id, method } = JSON.parse(text.toString());
        const result = method === "eth_chainId" ? "0x1b59" : flood;
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }),
    );
    await new Promise<void>((resolve) => http1.listen(0, "127.0.0.1", resolve));
    const { port } = http1.address() as AddressInfo;
    const config = join(mkdtempSync(join(tmpdir(), "purse-wallets-")), "purse.config.ts");
    const accountLimits = { contractWallet: { count: 2, windowSeconds: 60 } };
    writeFileSync(config, `export default ${JSON.stringify({ accountLimits })};`);
    server = await hostPurse({
      env: {
        PURSE_CHAIN_FLOOD_RPC_URL: `ws://127.0.0.1:${port}`,
        PURSE_CHAIN_FLOOD_ID: "7001",
        PURSE_CONFIG: config,
      },
    });
  });
  afterAll(async () => {
    await server?.remove();
    for (const socket of chain.clients) socket.terminate();
    http1.close();
  });

  it("is rejected, and the server stays up", async () => {
    expect(await signIn(newAddress(), "0x01", server, "0x1b59")).toMatchObject(REFUSED);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it("is called up to the limit of contract wallets per address; wallets with keys need no node", async () => {
    const answers: number[] = [];
    for (let i = 0; i < 3; i++) answers.push((await signIn(newAddress(), "0x01", server, "0x1b59")).status);
    expect(answers).toEqual([404, 429, 429]);
    const signer = privateKeyToAccount(generatePrivateKey());
    const messageReply = await rest(server, "POST", "/functions/requestMessage", { address: signer.address });
    const data = String(Object(messageReply.body.result).message);
    const moralisEth = { id: signer.address, signature: await signer.signMessage({ message: data }), data };
    expect((await rest(server, "POST", "/users", { authData: { moralisEth } })).status).toBe(201);
  });
});

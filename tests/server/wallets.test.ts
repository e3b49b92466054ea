import { createServer, type Server, type ServerResponse } from "node:http";
import { readArtifact } from "@purse/devchain";
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  pad,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { serializeErc6492Signature } from "viem/utils";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/browser.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { freePort } from "../support/freePort.ts";
import { type Purse, query, rest, signUp, startPurse } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await startPurse({ devChain: true });
}, 60_000);
afterAll(() => purse?.remove());
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

type Signer = ReturnType<typeof privateKeyToAccount>;
interface Proof {
  id: string;
  signature: string;
  data: string;
}

const newSigner = (): Signer => privateKeyToAccount(generatePrivateKey());

async function requestMessage(params: Record<string, unknown>, server = purse): Promise<string> {
  const { body } = await rest(server, "POST", "/functions/requestMessage", params);
  const { message }: { message?: string } = Object(body.result);
  if (message === undefined) throw new Error(JSON.stringify(body));
  return message;
}

/** A proof as a client makes it: the message that it was given, signed. */
async function siweProof(
  signer: Signer,
  { edit = (text: string) => text, ...params }: { edit?: (text: string) => string; purpose?: string } = {},
  server = purse,
): Promise<Proof> {
  const data = edit(await requestMessage({ address: signer.address, ...params }, server));
  return { id: signer.address.toLowerCase(), signature: await signer.signMessage({ message: data }), data };
}

/** A proof by a contract: its address, and a signature that somebody else's key or nobody made. */
async function contractProof(
  address: Hex,
  sign: (message: string) => Hex | Promise<Hex>,
  server = purse,
): Promise<Proof> {
  const data = await requestMessage({ address }, server);
  return { id: address.toLowerCase(), signature: await sign(data), data };
}

const classicText = (server = purse) =>
  `Moralis Authentication\n\nId: ${server.appId}:${new Date().toISOString()}`;
const signIn = (moralisEth: unknown, server = purse) =>
  rest(server, "POST", "/users", { authData: { moralisEth } });
const linkTo = (user: { id: string; sessionToken: string }, moralisEth: unknown, server = purse) =>
  rest(server, "PUT", `/classes/_User/${user.id}`, { authData: { moralisEth } }, user);
const unlink = (user: { sessionToken: string }, address: string, server = purse) =>
  rest(server, "DELETE", `/classes/_EthAddress/${address.toLowerCase()}`, undefined, user);
const signedIn = async (signer: Signer, server = purse) => {
  const { body } = await signIn(await siweProof(signer, {}, server), server);
  return { id: String(body.objectId), sessionToken: String(body.sessionToken) };
};
const refusedWith = (reason: string) => ({
  status: 404,
  body: { code: 101, error: expect.stringMatching(new RegExp(`^Wallet sign-in was refused: .*${reason}`)) },
});

describe("requestMessage", () => {
  it("answers a message of EIP-4361 for this server, application and chain", async () => {
    const { address } = devAccount(0);
    const lines = (
      await requestMessage({ address: address.toLowerCase(), chain: "0x539", networkType: "evm" })
    ).split("\n");
    expect(lines).toEqual([
      `127.0.0.1:${purse.port} wants you to sign in with your Ethereum account:`,
      address,
      "",
      "Sign in with this wallet.",
      "",
      `URI: ${purse.serverUrl}`,
      "Version: 1",
      "Chain ID: 1337",
      expect.stringMatching(/^Nonce: [0-9a-f]{32}$/),
      expect.stringMatching(/^Issued At: \S+Z$/),
      expect.stringMatching(/^Expiration Time: \S+Z$/),
      "Resources:",
      `- purse:app:${purse.appId}`,
    ]);
  });

  it("takes the names of chains, and the site that asks", async () => {
    const { address } = devAccount(0);
    expect(await requestMessage({ address, chain: "eth" })).toContain("\nChain ID: 1337\n");
    expect(await requestMessage({ address, domain: "localhost:5173" })).toMatch(/^localhost:5173 wants/);
  });

  it.each([
    ["no address", { address: undefined }],
    ["what is no address", { address: "0x12" }],
    ["an operator", { address: { $ne: 1 } }],
    ["a chain that is not configured", { chain: "polygon" }],
    ["an operator as chain", { chain: { $gt: 0 } }],
    ["another network", { networkType: "polkadot" }],
    ["an unknown purpose", { purpose: "transfer" }],
    ["another's domain", { domain: "evil.example" }],
    ["a domain with a line end", { domain: "localhost:1\nURI: x" }],
    ["a pattern as domain", { domain: "localhost:*" }],
  ])("refuses %s", async (_name, params) => {
    const address = devAccount(0).address;
    const { body } = await rest(purse, "POST", "/functions/requestMessage", { address, ...params });
    expect(body.code).toBe(142);
  });

  it("works without chains", async () => {
    const plain = await startPurse();
    try {
      const signer = newSigner();
      const data = await requestMessage({ address: signer.address, chain: "0x89" }, plain);
      expect(data).toContain("\nChain ID: 137\n");
      const signature = await signer.signMessage({ message: data });
      expect((await signIn({ id: signer.address, signature, data }, plain)).status).toBe(201);
      const other = newSigner();
      const message = await requestMessage({ address: other.address }, plain);
      const forged = { id: other.address, signature: await signer.signMessage({ message }), data: message };
      expect(await signIn(forged, plain)).toMatchObject(refusedWith("not by this address"));
    } finally {
      await plain.remove();
    }
  }, 60_000);
});

describe("a signed message", () => {
  it("makes a user and signs it in again", { tags: ["3.user.accounts", "3.user.eth-address"] }, async () => {
    const signer = newSigner();
    const first = await signIn(await siweProof(signer));
    expect(first).toMatchObject({ status: 201, body: { accounts: [signer.address.toLowerCase()] } });
    const again = await signIn(await siweProof(signer));
    expect(again).toMatchObject({ status: 200, body: { objectId: first.body.objectId } });
  });

  it("is taken with the line that old clients put after it", async () => {
    const line = `\n\nId: ${purse.appId}:${new Date().toISOString()}`;
    expect((await signIn(await siweProof(newSigner(), { edit: (text) => text + line }))).status).toBe(201);
    const wrong = `\n\nId: other:${new Date().toISOString()}`;
    expect(await signIn(await siweProof(newSigner(), { edit: (text) => text + wrong }))).toMatchObject(
      refusedWith("this application"),
    );
    const edit = (text: string) => `${text.replace(/Nonce: \w+/, "Nonce: 0123456789abcdef")}${line}`;
    expect(await signIn(await siweProof(newSigner(), { edit }))).toMatchObject(
      refusedWith("nonce is unknown"),
    );
  });

  it.each<[string, (text: string) => string, string]>([
    ["another domain", (text) => text.replace(/^\S+/, "evil.example"), "another domain"],
    ["another URI", (text) => text.replace(/URI: .*/, "URI: https://evil.example"), "another URI"],
    ["another chain", (text) => text.replace("Chain ID: 1337", "Chain ID: 1"), "not configured"],
    ["another application", (text) => text.replace("purse:app:", "purse:app:x"), "this application"],
    ["another nonce", (text) => text.replace(/Nonce: \w+/, `Nonce: ${"0".repeat(32)}`), "nonce is unknown"],
    [
      "a later start",
      (text) => text.replace("\nRes", "\nNot Before: 2099-01-01T00:00:00.000Z\nRes"),
      "not valid yet",
    ],
    ["a past end", (text) => text.replace(/Time: \S+/, "Time: 2020-01-01T00:00:00.000Z"), "expired"],
    ["a time to come", (text) => text.replace(/At: \S+/, "At: 2099-01-01T00:00:00.000Z"), "future"],
    ["a lower-case address", (text) => text.replace(/0x\w+/, (address) => address.toLowerCase()), "EIP-55"],
    ["a line more", (text) => `${text}\n- purse:app:other`, "this application"],
    ["a field twice", (text) => text.replace("Version: 1", "Version: 1\nVersion: 1"), "not laid out"],
    ["CRLF", (text) => text.replaceAll("\n", "\r\n"), "characters"],
    ["a line separator", (text) => text.replace("Sign in", "Sign\u2028in"), "characters"],
    ["more than 4 KiB", (text) => text.replace("Sign in", "x".repeat(4_096)), "signed text"],
  ])("is refused with %s", async (_name, edit, reason) => {
    expect(await signIn(await siweProof(newSigner(), { edit }))).toMatchObject(refusedWith(reason));
  });

  it("is refused where it is about another wallet, or made for one", async () => {
    const [signer, other] = [newSigner(), newSigner()];
    const id = other.address.toLowerCase();
    const about = await siweProof(signer);
    expect(await signIn({ ...about, id })).toMatchObject(refusedWith("another address"));
    const edit = (text: string) => text.replace(signer.address, getAddress(id));
    const data = edit(await requestMessage({ address: signer.address }));
    const made = { id, signature: await other.signMessage({ message: data }), data };
    expect(await signIn(made)).toMatchObject(refusedWith("nonce is unknown"));
  });

  it("for linking does not sign in, and the reverse", async () => {
    const signer = newSigner();
    const forLink = await siweProof(signer, { purpose: "link" });
    expect(forLink.data).toContain("\nLink this wallet to my account.\n");
    expect(await signIn(forLink)).toMatchObject(refusedWith("linking"));
    const user = await signUp(purse);
    expect(await linkTo(user, await siweProof(signer))).toMatchObject(refusedWith("signing in"));
    expect((await linkTo(user, forLink)).status).toBe(200);
    expect(await signIn(forLink)).toMatchObject(refusedWith("used already"));
    expect((await signIn(await siweProof(signer))).body.objectId).toBe(user.id);
  });
});

describe("link and unlink", () => {
  it("adds a wallet to the user, for its owner's eyes", {
    tags: ["4.flow.link.reuses-user", "3.wallet-address.linked-addresses"],
  }, async () => {
    const [first, second] = [newSigner(), newSigner()];
    const user = await signedIn(first);
    const linked = await linkTo(user, await siweProof(second, { purpose: "link" }));
    const accounts = [first, second].map(({ address }) => address.toLowerCase());
    expect(linked.body.accounts).toEqual(accounts);
    const me = await rest(purse, "GET", "/users/me", undefined, user);
    expect(me.body).toMatchObject({ accounts, ethAddress: accounts[1] });
    const where = query({ where: { objectId: accounts[1] } });
    const mine = await rest(purse, "GET", `/classes/_EthAddress${where}`, undefined, user);
    expect(mine.body.results).toMatchObject([{ user: { objectId: user.id } }]);
    const theirs = await rest(purse, "GET", `/classes/_EthAddress${where}`, undefined, await signUp(purse));
    expect(theirs.body.results).toEqual([]);
  });

  it("refuses a wallet that is another user's", { tags: ["8.code.208"] }, async () => {
    const signer = newSigner();
    await signedIn(signer);
    const other = await signUp(purse);
    const proof = await siweProof(signer, { purpose: "link" });
    expect((await linkTo(other, proof)).body.code).toBe(208);
    expect((await rest(purse, "GET", "/users/me", undefined, other)).body).not.toHaveProperty("authData");
  });

  it("takes a classic signature once, for signing in or for linking", async () => {
    const signer = newSigner();
    const data = classicText();
    const proof = { id: signer.address, signature: await signer.signMessage({ message: data }), data };
    const user = await signUp(purse);
    expect((await linkTo(user, proof)).status).toBe(200);
    expect(await signIn(proof)).toMatchObject(refusedWith("used already"));
  });

  it("changes nothing for an empty authData", async () => {
    const signer = newSigner();
    const user = await signedIn(signer);
    const before = await rest(purse, "GET", "/users/me", undefined, user);
    const saved = await rest(purse, "PUT", `/classes/_User/${user.id}`, { authData: {} }, user);
    expect(saved.status).toBe(200);
    const { updatedAt, ...after } = (await rest(purse, "GET", "/users/me", undefined, user)).body;
    expect(before.body).toMatchObject(after);
    expect(updatedAt).toBeDefined();
  });

  it("takes a wallet away, which is free then", {
    tags: ["4.flow.unlink.deletes-record", "4.flow.unlink.removes-account", "4.flow.unlink.sets-eth-address"],
  }, async () => {
    const [first, second] = [newSigner(), newSigner()];
    const user = await signedIn(first);
    await linkTo(user, await siweProof(second, { purpose: "link" }));
    expect((await unlink(user, second.address)).status).toBe(200);
    const me = await rest(purse, "GET", "/users/me", undefined, user);
    const accounts = [first.address.toLowerCase()];
    expect(me.body).toMatchObject({ accounts, ethAddress: accounts[0] });
    expect((await signIn(await siweProof(second))).status).toBe(201);
  });

  it("lets a wallet go where there is a password", async () => {
    const signer = newSigner();
    const user = await signUp(purse);
    await linkTo(user, await siweProof(signer, { purpose: "link" }));
    expect((await unlink(user, signer.address)).status).toBe(200);
    const me = await rest(purse, "GET", "/users/me", undefined, user);
    expect(me.body.accounts).toEqual([]);
    expect(me.body).not.toHaveProperty("ethAddress");
  });
});

describe.each(DATABASES)("many requests at once on %s", (database) => {
  let server: Purse;
  beforeAll(async () => {
    server = await startPurse({ env: await databaseEnv(database) });
  }, 60_000);
  afterAll(() => server?.remove());

  it("make one user of a wallet", async () => {
    const signer = newSigner();
    const proofs = await Promise.all(Array.from({ length: 6 }, () => siweProof(signer, {}, server)));
    const replies = await Promise.all(proofs.map((proof) => signIn(proof, server)));
    expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("sign in once by one message", async () => {
    const proof = await siweProof(newSigner(), {}, server);
    const replies = await Promise.all(Array.from({ length: 8 }, () => signIn(proof, server)));
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 101)).toHaveLength(7);
    expect(await signIn(proof, server)).toMatchObject(refusedWith("used already"));
  });

  it("use a nonce once, whatever else the texts say", async () => {
    const signer = newSigner();
    const text = await requestMessage({ address: signer.address }, server);
    const texts = Array.from({ length: 6 }, (_, i) => text.replace("this wallet", `this wallet ${i}`));
    const proofs = await Promise.all(
      texts.map(async (data) => ({
        id: signer.address,
        signature: await signer.signMessage({ message: data }),
        data,
      })),
    );
    const replies = await Promise.all(proofs.map((proof) => signIn(proof, server)));
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
  });

  it("give a wallet to one of the users that link it", { tags: ["8.code.208"] }, async () => {
    const signer = newSigner();
    const users = await Promise.all([signUp(server), signUp(server), signUp(server)]);
    const proofs = await Promise.all(users.map(() => siweProof(signer, { purpose: "link" }, server)));
    const replies = await Promise.all(users.map((user, i) => linkTo(user, proofs[i], server)));
    expect(replies.map(({ body }) => body.code ?? 0).sort()).toEqual([0, 208, 208]);
  });

  it("leave the last way into an account, as one alone does", async () => {
    const [first, second] = [newSigner(), newSigner()];
    const user = await signedIn(first, server);
    expect((await unlink(user, first.address, server)).body.code).toBe(119);
    await linkTo(user, await siweProof(second, { purpose: "link" }, server), server);
    const replies = await Promise.all([
      unlink(user, first.address, server),
      unlink(user, second.address, server),
    ]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const { body } = await rest(server, "GET", "/users/me", undefined, user);
    expect(body.accounts).toHaveLength(1);
    const left = [first, second].find(({ address }) => body.ethAddress === address.toLowerCase());
    expect((await signIn(await siweProof(left ?? first, {}, server), server)).body.objectId).toBe(user.id);
  });
});

const node = () => createPublicClient({ transport: http(purse.rpcUrl) });

/** Sends a transaction and waits for its block; answers its receipt. */
async function send(transaction: { to?: Hex; data: Hex }) {
  const wallet = createWalletClient({ account: devAccount(8), transport: http(purse.rpcUrl) });
  const hash = await wallet.sendTransaction({ chain: null, ...transaction });
  return node().waitForTransactionReceipt({ hash, pollingInterval: 50 });
}

async function deploy(data: Hex): Promise<Hex> {
  const { contractAddress } = await send({ data });
  if (!contractAddress) throw new Error("no contract was made");
  return contractAddress;
}

/** Puts code on the chain as it is: the first eleven bytes return what follows them. */
function deployCode(code: string): Promise<Hex> {
  return deploy(`0x60${(code.length / 2).toString(16).padStart(2, "0")}80600b6000396000f3${code}`);
}

const walletFactory = readArtifact("PurseWalletFactory");
const ownerOfWallets = newSigner();
const signedByOwner = (message: string) => ownerOfWallets.signMessage({ message });

/** A contract wallet of `ownerOfWallets` with the call that makes it. */
async function plannedWallet(salt: number) {
  const factory = await deploy(walletFactory.bytecode);
  const args = [ownerOfWallets.address, pad(`0x${salt.toString(16).padStart(2, "0")}`)];
  const address = await node().readContract({
    ...walletFactory,
    address: factory,
    functionName: "addressOf",
    args,
  });
  const create = encodeFunctionData({ ...walletFactory, functionName: "create", args });
  if (typeof address !== "string") throw new Error("no address");
  const id: Hex = `0x${address.slice(2)}`;
  return { id, factory, create };
}

const wrap = (factory: Hex, data: Hex) => async (message: string) =>
  serializeErc6492Signature({ address: factory, data, signature: await signedByOwner(message) });

async function deployedWallet(salt: number): Promise<Hex> {
  const { id, factory, create } = await plannedWallet(salt);
  await send({ to: factory, data: create });
  return id;
}

describe("a contract wallet (ERC-1271)", () => {
  it("signs in by its owner's signature, with either message, and is an address like others", async () => {
    const id = await deployedWallet(1);
    const first = await signIn(await contractProof(id, signedByOwner));
    expect(first).toMatchObject({ status: 201, body: { ethAddress: id.toLowerCase() } });
    const data = classicText();
    const again = await signIn({ id, signature: await signedByOwner(data), data });
    expect(again.body.objectId).toBe(first.body.objectId);
  });

  it("can be linked, and used once", async () => {
    const id = await deployedWallet(2);
    // Two users, because one user may send a proof that is stored already again.
    const users = await Promise.all([signUp(purse), signUp(purse)]);
    const data = await requestMessage({ address: id, purpose: "link" });
    const proof = { id, signature: await signedByOwner(data), data };
    const replies = await Promise.all(users.map((user) => linkTo(user, proof)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const owner = users.find((_, i) => replies[i]?.status === 200);
    expect((await signIn(await contractProof(id, signedByOwner))).body.objectId).toBe(owner?.id);
  });

  it("is refused where somebody else signed", async () => {
    const id = await deployedWallet(3);
    const stranger = newSigner();
    const proof = await contractProof(id, (message) => stranger.signMessage({ message }));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
  });

  it.each<[string, string, string]>([
    ["runs forever", "5b600056", "not by this address"],
    ["answers with a megabyte", "621000006000f3", "could not verify"],
    ["repeats what it was asked", "366000600037366000f3", "not by this address"],
    ["reverts", "60006000fd", "not by this address"],
    ["answers nothing", "00", "not by this address"],
    ["says yes and something else", "631626ba7e60e01b60015260406000f3", "not by this address"],
  ])("is refused where it %s", async (_name, code, reason) => {
    const id = await deployCode(code);
    const began = Date.now();
    expect(await signIn(await contractProof(id, () => "0x01"))).toMatchObject(refusedWith(reason));
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it("is refused where it is built into the chain, or not there", async () => {
    const echo = `0x${"0".repeat(39)}4` as const;
    expect(await signIn(await contractProof(echo, () => "0x01"))).toMatchObject(refusedWith("not by"));
    const nowhere = newSigner().address;
    expect(await signIn(await contractProof(nowhere, () => "0x01"))).toMatchObject(refusedWith("not by"));
  });

  it.each([
    ["is longer than 4 KiB", `0x${"01".repeat(4_097)}`],
    ["is empty", "0x"],
    ["is not whole bytes", "0x123"],
    ["is no hex", "0xzz"],
    ["is an object", { $ne: null }],
  ])("is refused where the signature %s", async (_name, signature) => {
    const id = newSigner().address;
    const data = await requestMessage({ address: id });
    expect(await signIn({ id, signature, data })).toMatchObject(refusedWith("signature must"));
  });
});

describe("a contract wallet that is not there yet (ERC-6492)", () => {
  it("signs in, and is still not there", async () => {
    const { id, factory, create } = await plannedWallet(4);
    const reply = await signIn(await contractProof(id, wrap(factory, create)));
    expect(reply).toMatchObject({ status: 201, body: { ethAddress: id.toLowerCase() } });
    expect(await node().getCode({ address: id })).toBeUndefined();
  });

  it("goes on to sign in with the same wrapping once it is there", async () => {
    const { id, factory, create } = await plannedWallet(5);
    const before = await signIn(await contractProof(id, wrap(factory, create)));
    await send({ to: factory, data: create });
    const after = await signIn(await contractProof(id, wrap(factory, create)));
    expect(after).toMatchObject({ status: 200, body: { objectId: before.body.objectId } });
  });

  it("is refused where somebody else signed, or the factory makes something else", async () => {
    const { id, factory, create } = await plannedWallet(6);
    const stranger = newSigner();
    const forged = await contractProof(id, async (message) =>
      serializeErc6492Signature({
        address: factory,
        data: create,
        signature: await stranger.signMessage({ message }),
      }),
    );
    expect(await signIn(forged)).toMatchObject(refusedWith("not by this address"));
    const elsewhere = newSigner().address;
    expect(await signIn(await contractProof(elsewhere, wrap(factory, create)))).toMatchObject(
      refusedWith("not by this address"),
    );
  });

  it.each([
    ["runs forever", "5b600056"],
    ["answers with a megabyte", "621000006000f3"],
    ["reverts", "60006000fd"],
  ])("is refused where the factory %s", async (_name, code) => {
    const factory = await deployCode(code);
    const proof = await contractProof(newSigner().address, wrap(factory, "0x01"));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
  });

  it("is refused where the call is not a factory's, but changes a wallet that is there", async () => {
    // Called without data it writes 1 to its storage; asked for a signature it says yes if that is written.
    const id = await deployCode("36600a576001600055005b600054631626ba7e0260e01b60005260206000f3");
    const proof = await contractProof(id, wrap(id, "0x"));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
    expect(await node().getStorageAt({ address: id, slot: "0x0" })).toBe(pad("0x0"));
  });

  it("is refused where the wrapping is broken", async () => {
    const suffix = "6492".repeat(16);
    const proof = await contractProof(newSigner().address, () => `0x${"ff".repeat(96)}${suffix}`);
    expect(await signIn(proof)).toMatchObject(refusedWith("signature is not valid"));
    const bare = await contractProof(newSigner().address, () => `0x${suffix}`);
    expect(await signIn(bare)).toMatchObject(refusedWith("signature is not valid"));
  });
});

describe("nodes of several chains", () => {
  let server: Purse;
  const nodes: Server[] = [];
  const closed = async () => `http://127.0.0.1:${await freePort()}`;

  /** A node that answers its chain's id, and everything else as it is told. */
  async function startNode(
    id: number,
    answer: (response: ServerResponse, body: string) => void,
  ): Promise<string> {
    const node = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk));
      request.on("end", () => {
        const call: { id: number; method: string } = JSON.parse(body);
        if (call.method !== "eth_chainId") return answer(response, body);
        response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: `0x${id.toString(16)}` }));
      });
    });
    nodes.push(node);
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
    const address = node.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  beforeAll(async () => {
    const mute = await startNode(7001, () => undefined);
    const endless = await startNode(7002, (response) => {
      response.write('{"jsonrpc":"2.0","id":1,"result":"0x');
      const more = setInterval(() => response.write("00".repeat(100_000)) || clearInterval(more), 1);
    });
    // Two chains on which the same contracts stand at the same addresses.
    const forward = (response: ServerResponse, body: string) =>
      void fetch(purse.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body })
        .then(async (reply) => response.end(await reply.text()))
        .catch(() => response.destroy());
    server = await startPurse({
      env: {
        PURSE_CHAIN_FIRST_RPC_URL: await startNode(7005, forward),
        PURSE_CHAIN_FIRST_ID: "7005",
        PURSE_CHAIN_SECOND_RPC_URL: await startNode(7006, forward),
        PURSE_CHAIN_SECOND_ID: "7006",
        PURSE_CHAIN_MUTE_RPC_URL: mute,
        PURSE_CHAIN_MUTE_ID: "7001",
        PURSE_CHAIN_ENDLESS_RPC_URL: endless,
        PURSE_CHAIN_ENDLESS_ID: "7002",
        PURSE_CHAIN_GONE_RPC_URL: await closed(),
        PURSE_CHAIN_GONE_ID: "7003",
        PURSE_CHAIN_OTHER_RPC_URL: purse.rpcUrl,
        PURSE_CHAIN_OTHER_ID: "7004",
      },
    });
  }, 60_000);
  afterAll(async () => {
    await server?.remove();
    for (const node of nodes) {
      node.closeAllConnections();
      node.close();
    }
  });

  it.each([
    ["never answers", 7001],
    ["never stops answering", 7002],
    ["is gone", 7003],
    ["is of another chain", 7004],
  ])(
    "refuses contract wallets of a chain whose node %s, in time, and serves others meanwhile",
    async (_name, chainId) => {
      const began = Date.now();
      const address = newSigner().address;
      const data = await requestMessage({ address, chain: chainId }, server);
      const waiting = signIn({ id: address, signature: "0x01", data }, server);
      const signer = newSigner();
      const text = await requestMessage({ address: signer.address, chain: chainId }, server);
      const signature = await signer.signMessage({ message: text });
      expect((await signIn({ id: signer.address, signature, data: text }, server)).status).toBe(201);
      expect(await waiting).toMatchObject(refusedWith("could not verify"));
      expect(Date.now() - began).toBeLessThan(30_000);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    },
    60_000,
  );

  it("takes a contract wallet by the chain that it first came by: another's may be there on the others", async () => {
    const id = await deployedWallet(7);
    const by = async (chain: number) => {
      const data = await requestMessage({ address: id, chain }, server);
      return { id, signature: await signedByOwner(data), data };
    };
    const first = await signIn(await by(7005), server);
    expect(first.status).toBe(201);
    expect(await signIn(await by(7006), server)).toMatchObject(refusedWith("another chain"));
    const again = await signIn(await by(7005), server);
    expect(again).toMatchObject({ status: 200, body: { objectId: first.body.objectId } });
  });

  it("refuses more contract wallets at once than a node can be asked about", async () => {
    const proofs = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { address } = newSigner();
        const data = await requestMessage({ address, chain: 7001 }, server);
        return { id: address, signature: "0x01", data };
      }),
    );
    const replies = await Promise.all(proofs.map((proof) => signIn(proof, server)));
    const errors = replies.map(({ body }) => String(body.error));
    expect(errors.filter((error) => error.includes("at once"))).toHaveLength(8);
    expect(errors.filter((error) => error.includes("could not verify"))).toHaveLength(32);
  }, 15_000);
});

import { createServer, type Server, type ServerResponse } from "node:http";
import { readArtifact } from "@purse/devchain";
import type { JsonObject } from "@purse/protocol";
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  pad,
  parseSignature,
  signatureToCompactSignature,
  size,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, generateSiweNonce, parseSiweMessage } from "viem/siwe";
import { serializeErc6492Signature } from "viem/utils";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { devAccount } from "../support/devAccount.ts";
import { freePort } from "../support/freePort.ts";
import { minedReceipt } from "../support/minedReceipt.ts";
import { type Credentials, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
});
afterAll(() => purse?.remove());
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

type Signer = ReturnType<typeof privateKeyToAccount>;
interface Proof {
  id: string;
  signature: Hex;
  data: string;
}

const newSigner = (): Signer => privateKeyToAccount(generatePrivateKey());

async function requestMessage(params: Record<string, unknown>, server = purse): Promise<string> {
  const { body } = await rest(server, "POST", "/functions/requestMessage", params);
  const { message }: { message?: string } = Object(body.result);
  if (message === undefined) throw new Error(JSON.stringify(body));
  return message;
}

/** Creates the proof of a client: a requested message with its signature. */
async function siweProof(
  signer: Signer,
  {
    edit = (text: string) => text,
    ...params
  }: {
    edit?: (text: string) => string;
    [param: string]: unknown;
  } = {},
  server = purse,
): Promise<Proof> {
  const data = edit(await requestMessage({ address: signer.address, ...params }, server));
  return { id: signer.address.toLowerCase(), signature: await signer.signMessage({ message: data }), data };
}

/** Creates the proof of a contract: its address with any signature. */
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
const swapCase = (address: string) =>
  `0x${address.slice(2).replace(/[a-f]/gi, (digit) => (digit < "a" ? digit.toLowerCase() : digit.toUpperCase()))}`;
const refusedWith = (reason: string) => ({
  status: 404,
  body: { code: 101, error: expect.stringMatching(new RegExp(`^Wallet sign-in was refused: .*${reason}`)) },
});

describe("requestMessage", () => {
  it("returns an EIP-4361 message for this server, application and chain", async () => {
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

  it("accepts names of chains and the domain of the page", async () => {
    const { address } = devAccount(0);
    expect(await requestMessage({ address, chain: "eth" })).toContain("\nChain ID: 1337\n");
    expect(await requestMessage({ address, domain: "localhost:5173" })).toMatch(/^localhost:5173 wants/);
  });

  it.each([
    ["no address", { address: undefined }],
    ["an invalid address", { address: "0x12" }],
    ["a query operator as address", { address: { $ne: 1 } }],
    ["a chain that is not configured", { chain: "polygon" }],
    ["a query operator as chain", { chain: { $gt: 0 } }],
    ["another network", { networkType: "polkadot" }],
    ["an unknown purpose", { purpose: "transfer" }],
    ["another domain", { domain: "evil.example" }],
    ["a domain with a line end", { domain: "localhost:1\nURI: x" }],
    ["a pattern as domain", { domain: "localhost:*" }],
    ["a statement of two lines", { statement: "a\nURI: x" }],
    ["a statement like a field", { statement: "Nonce: 1" }],
    ["a URI of another site", { uri: "https://evil.example/" }],
    ["resources that are no URIs", { resources: ["no uri"] }],
    ["a time that does not exist", { expirationTime: "2030-02-30" }],
  ])("rejects %s", async (_name, params) => {
    const address = devAccount(0).address;
    const { body } = await rest(purse, "POST", "/functions/requestMessage", { address, ...params });
    expect(body.code).toBe(142);
  });

  it("works without chains", async () => {
    const plain = await hostPurse();
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
  });
});

describe("a signed message", () => {
  it("creates a user and signs it in again", {
    tags: ["3.user.accounts", "3.user.eth-address"],
  }, async () => {
    const signer = newSigner();
    const first = await signIn(await siweProof(signer));
    expect(first).toMatchObject({ status: 201, body: { accounts: [signer.address.toLowerCase()] } });
    const again = await signIn(await siweProof(signer));
    expect(again).toMatchObject({ status: 200, body: { objectId: first.body.objectId } });
  });

  it("is accepted as viem formats it in the page, with a nonce of requestNonce, once", async () => {
    const signer = newSigner();
    const messageWith = (nonce: string) =>
      createSiweMessage({
        address: signer.address,
        chainId: 1337,
        domain: "localhost:5173",
        nonce,
        uri: "http://localhost:5173/sign-in",
        version: "1",
        requestId: "1",
        resources: ["https://example.org/terms"],
      });
    const proofWith = async (nonce: string) => {
      const data = messageWith(nonce);
      return { id: signer.address, signature: await signer.signMessage({ message: data }), data };
    };
    const nonceFor = async (purpose: string) => {
      const { body } = await rest(purse, "POST", "/functions/requestNonce", { purpose });
      return String(Object(body.result).nonce);
    };
    const proof = await proofWith(await nonceFor("login"));
    expect(await signIn(proof)).toMatchObject({ status: 201 });
    expect(await signIn(proof)).toMatchObject(refusedWith("used already"));
    expect(await signIn(await proofWith(generateSiweNonce()))).toMatchObject(refusedWith("nonce is unknown"));
    expect(await signIn(await proofWith(await nonceFor("link")))).toMatchObject(refusedWith("linking"));
    const { body } = await rest(purse, "POST", "/functions/requestNonce", { purpose: "transfer" });
    expect(body.code).toBe(142);
  });

  it("has the statement, page, resources and times that it was requested with", async () => {
    const signer = newSigner();
    const fields = {
      statement: "Welcome.",
      domain: "localhost:5173",
      uri: "http://localhost:5173/",
      resources: ["https://example.org/terms"],
      notBefore: "2020-01-01T00:00:00.000Z",
    };
    const proof = await siweProof(signer, fields);
    expect(parseSiweMessage(proof.data)).toMatchObject({
      ...fields,
      resources: [`purse:app:${purse.appId}`, ...fields.resources],
      notBefore: new Date(fields.notBefore),
    });
    expect(await signIn(proof)).toMatchObject({ status: 201 });
  });

  it.each([0, 1])("is accepted with a compact signature (EIP-2098) of the parity %i", async (parity) => {
    const compactProof = async (): Promise<Proof> => {
      const proof = await siweProof(newSigner());
      const parsed = parseSignature(proof.signature);
      const { r, yParityAndS } = signatureToCompactSignature(parsed);
      return parsed.yParity === parity ? { ...proof, signature: concat([r, yParityAndS]) } : compactProof();
    };
    const proof = await compactProof();
    expect(size(proof.signature)).toBe(64);
    const forged = { ...(await siweProof(newSigner())), signature: proof.signature };
    expect(await signIn(forged)).toMatchObject(refusedWith("not by this address"));
    expect(await signIn(proof)).toMatchObject({ status: 201 });
  });

  it("of an own text may have lines that end with CRLF", async () => {
    const signer = newSigner();
    const textProof = async (data: string) => ({
      id: signer.address,
      signature: await signer.signMessage({ message: data }),
      data,
    });
    const line = `Id: ${purse.appId}:${new Date().toISOString()}`;
    expect(await signIn(await textProof(`Welcome\r\nto us\n\n${line}`))).toMatchObject({ status: 201 });
    expect(await signIn(await textProof(`Welcome\r\n\r\n${line}`))).toMatchObject({ status: 200 });
    expect(await signIn(await textProof(`Welcome\rId: other:1\n\n${line}`))).toMatchObject(
      refusedWith("more than one Id line"),
    );
  });

  it("is accepted with the line that old clients append", async () => {
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
    ["a time in the future", (text) => text.replace(/At: \S+/, "At: 2099-01-01T00:00:00.000Z"), "future"],
    ["a wrong checksum", (text) => text.replace(/0x\w+/, swapCase), "EIP-55"],
    ["an additional line", (text) => `${text}\n- purse:app:other`, "this application"],
    ["a repeated field", (text) => text.replace("Version: 1", "Version: 1\nVersion: 1"), "not laid out"],
    ["CRLF", (text) => text.replaceAll("\n", "\r\n"), "without a carriage return"],
    ["a line separator", (text) => text.replace("Sign in", "Sign\u2028in"), "characters"],
    ["more than 4 KiB", (text) => text.replace("Sign in", "x".repeat(4_096)), "signed text"],
  ])("is rejected with %s", async (_name, edit, reason) => {
    expect(await signIn(await siweProof(newSigner(), { edit }))).toMatchObject(refusedWith(reason));
  });

  it("is rejected for another wallet", async () => {
    const [signer, other] = [newSigner(), newSigner()];
    const id = other.address.toLowerCase();
    const about = await siweProof(signer);
    expect(await signIn({ ...about, id })).toMatchObject(refusedWith("another address"));
    const edit = (text: string) => text.replace(signer.address, getAddress(id));
    const data = edit(await requestMessage({ address: signer.address }));
    const made = { id, signature: await other.signMessage({ message: data }), data };
    expect(await signIn(made)).toMatchObject(refusedWith("nonce is unknown"));
  });

  it("for linking does not sign in, and vice versa", async () => {
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

describe("the Auth API of Moralis", () => {
  const post = async (path: string, body: object) => {
    const reply = await fetch(`${purse.url}/api/v2/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": purse.masterKey },
      body: JSON.stringify(body),
    });
    const json: JsonObject = JSON.parse(await reply.text());
    return { status: reply.status, body: json };
  };
  const challenge = (signer: Signer) => ({
    domain: "localhost:5173",
    chainId: "0x539",
    address: signer.address,
    statement: "Please confirm",
    uri: "http://localhost:5173/",
    resources: ["https://example.org/terms"],
    timeout: 60,
  });
  const refused = (message: string) => ({ status: 400, body: { message: expect.stringContaining(message) } });

  it("returns a message that it verifies once", async () => {
    const signer = newSigner();
    const requested = await post("challenge/request/evm", challenge(signer));
    const identity = { id: expect.any(String), profileId: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
    expect(requested).toEqual({ status: 201, body: { ...identity, message: expect.any(String) } });
    const message = String(requested.body.message);
    const signature = await signer.signMessage({ message });
    const forged = await newSigner().signMessage({ message });
    expect(await post("challenge/verify/evm", { message, signature: forged })).toMatchObject(
      refused("not by this address"),
    );
    const { timeout: _, chainId: _chainId, ...fields } = challenge(signer);
    const { id = null, profileId = null } = requested.body;
    expect(await post("challenge/verify/evm", { message, signature })).toEqual({
      status: 201,
      body: {
        ...fields,
        id,
        profileId,
        chainId: 1337,
        version: "1",
        nonce: expect.any(String),
        expirationTime: expect.stringMatching(/Z$/),
      },
    });
    expect(await post("challenge/verify/evm", { message, signature })).toMatchObject(refused("used already"));
    const again = await post("challenge/request/evm", challenge(signer));
    expect(again.body).toMatchObject({ profileId });
    expect(again.body.id).not.toBe(id);
  });

  it("takes domains with a scheme, as Moralis' tutorials have them", async () => {
    const signer = newSigner();
    const origin = { domain: "http://localhost:3000", uri: "http://localhost:5173/" };
    const { body } = await post("challenge/request/evm", { ...challenge(signer), ...origin });
    const message = String(body.message);
    expect(message).toMatch(/^http:\/\/localhost:3000 wants/);
    const signature = await signer.signMessage({ message });
    const verified = await post("challenge/verify/evm", { message, signature });
    expect(verified).toMatchObject({ status: 201, body: origin });
  });

  it.each<[string, string, object, string]>([
    ["a text as URI", "challenge/request/evm", { uri: "auth.app" }, "uri must be"],
    ["another domain", "challenge/request/evm", { domain: "evil.example" }, "PURSE_SIWE_DOMAINS"],
    ["a chain that is not configured", "challenge/request/evm", { chainId: "0x5" }, "chain"],
    ["an invalid timeout", "challenge/request/evm", { timeout: "60" }, "timeout"],
    ["an invalid time", "challenge/request/evm", { notBefore: "tomorrow" }, "ISO 8601"],
    ["no message", "challenge/verify/evm", { signature: "0x" }, "message"],
    [
      "text that is no message",
      "challenge/verify/evm",
      { message: "hello", signature: "0x" },
      "not laid out",
    ],
    ["Aptos", "challenge/request/aptos", {}, "not available"],
    ["profiles", "bind/request", {}, "not available"],
  ])("refuses %s with 400", async (_name, path, params, message) => {
    expect(await post(path, { ...challenge(newSigner()), ...params })).toMatchObject(refused(message));
  });
});

describe("the sign-in methods of a user", () => {
  it("say whether a password is set, to the user alone", async () => {
    const path = "/users/me/signInMethods";
    const methodsOf = async (user: Credentials) => (await rest(purse, "GET", path, undefined, user)).body;
    const user = await signedIn(newSigner());
    expect(await methodsOf(user)).toEqual({ hasPassword: false });
    await rest(purse, "PUT", `/users/${user.id}`, { password: "first password" }, user);
    expect(await methodsOf(user)).toEqual({ hasPassword: true });
    expect(await methodsOf(await signUp(purse))).toEqual({ hasPassword: true });
    for (const other of [{}, { useMasterKey: true }]) {
      expect(await methodsOf(other)).toMatchObject({ code: 209 });
    }
  });
});

describe("link and unlink", () => {
  it("add a wallet, which only its owner can see", {
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

  it("reject a wallet of another user with 208", { tags: ["8.code.208"] }, async () => {
    const signer = newSigner();
    await signedIn(signer);
    const other = await signUp(purse);
    const proof = await siweProof(signer, { purpose: "link" });
    expect((await linkTo(other, proof)).body.code).toBe(208);
    expect((await rest(purse, "GET", "/users/me", undefined, other)).body).not.toHaveProperty("authData");
  });

  it("accept a legacy signature once, for signing in or linking", async () => {
    const signer = newSigner();
    const data = classicText();
    const proof = { id: signer.address, signature: await signer.signMessage({ message: data }), data };
    const user = await signUp(purse);
    expect((await linkTo(user, proof)).status).toBe(200);
    expect(await signIn(proof)).toMatchObject(refusedWith("used already"));
  });

  it("ignore an empty authData", async () => {
    const signer = newSigner();
    const user = await signedIn(signer);
    const before = await rest(purse, "GET", "/users/me", undefined, user);
    const saved = await rest(purse, "PUT", `/classes/_User/${user.id}`, { authData: {} }, user);
    expect(saved.status).toBe(200);
    const { updatedAt, ...after } = (await rest(purse, "GET", "/users/me", undefined, user)).body;
    expect(before.body).toMatchObject(after);
    expect(updatedAt).toBeDefined();
  });

  it("remove a wallet, which can then be used again", {
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

  it("allow removing the last wallet of a user with a password", async () => {
    const signer = newSigner();
    const user = await signUp(purse);
    await linkTo(user, await siweProof(signer, { purpose: "link" }));
    expect((await unlink(user, signer.address)).status).toBe(200);
    const me = await rest(purse, "GET", "/users/me", undefined, user);
    expect(me.body.accounts).toEqual([]);
    expect(me.body).not.toHaveProperty("ethAddress");
  });
});

describe.each(ALL_DATABASES)("concurrent requests on %s", (database) => {
  let server: Purse;
  beforeAll(async () => {
    server = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => server?.remove());

  it("create one user per wallet", async () => {
    const signer = newSigner();
    const proofs = await Promise.all(Array.from({ length: 6 }, () => siweProof(signer, {}, server)));
    const replies = await Promise.all(proofs.map((proof) => signIn(proof, server)));
    expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("sign in once per message", async () => {
    const proof = await siweProof(newSigner(), {}, server);
    const replies = await Promise.all(Array.from({ length: 8 }, () => signIn(proof, server)));
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 101)).toHaveLength(7);
    expect(await signIn(proof, server)).toMatchObject(refusedWith("used already"));
  });

  it("accept a nonce once, whatever the message text", async () => {
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

  it("link a wallet to one of several users", { tags: ["8.code.208"] }, async () => {
    const signer = newSigner();
    const users = await Promise.all([signUp(server), signUp(server), signUp(server)]);
    const proofs = await Promise.all(users.map(() => siweProof(signer, { purpose: "link" }, server)));
    const replies = await Promise.all(users.map((user, i) => linkTo(user, proofs[i], server)));
    expect(replies.map(({ body }) => body.code ?? 0).sort()).toEqual([0, 208, 208]);
  });

  it("keep the last sign-in method of an account", async () => {
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

/** Sends a transaction, waits for its block and returns its receipt. */
async function send(transaction: { to?: Hex; data: Hex }) {
  const wallet = createWalletClient({ account: devAccount(8), transport: http(purse.rpcUrl) });
  const hash = await wallet.sendTransaction({ chain: null, ...transaction });
  return minedReceipt(node(), hash);
}

async function deploy(data: Hex): Promise<Hex> {
  const { contractAddress } = await send({ data });
  if (!contractAddress) throw new Error("no contract was made");
  return contractAddress;
}

/** Deploys code unchanged: the first eleven bytes return the rest. */
function deployCode(code: string): Promise<Hex> {
  return deploy(`0x60${(code.length / 2).toString(16).padStart(2, "0")}80600b6000396000f3${code}`);
}

const walletFactory = readArtifact("PurseWalletFactory");
const ownerOfWallets = newSigner();
const signedByOwner = (message: string) => ownerOfWallets.signMessage({ message });

/** A contract wallet of `ownerOfWallets` with the call that deploys it. */
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
  it("signs in with its owner's signature of either message, like other addresses", async () => {
    const id = await deployedWallet(1);
    const first = await signIn(await contractProof(id, signedByOwner));
    expect(first).toMatchObject({ status: 201, body: { ethAddress: id.toLowerCase() } });
    const data = classicText();
    const again = await signIn({ id, signature: await signedByOwner(data), data });
    expect(again.body.objectId).toBe(first.body.objectId);
  });

  it("can be linked, once per message", async () => {
    const id = await deployedWallet(2);
    // Two users, because one user may resend a stored proof.
    const users = await Promise.all([signUp(purse), signUp(purse)]);
    const data = await requestMessage({ address: id, purpose: "link" });
    const proof = { id, signature: await signedByOwner(data), data };
    const replies = await Promise.all(users.map((user) => linkTo(user, proof)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const owner = users.find((_, i) => replies[i]?.status === 200);
    expect((await signIn(await contractProof(id, signedByOwner))).body.objectId).toBe(owner?.id);
  });

  it("is rejected with another signer's signature", async () => {
    const id = await deployedWallet(3);
    const stranger = newSigner();
    const proof = await contractProof(id, (message) => stranger.signMessage({ message }));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
  });

  it.each<[string, string, string]>([
    ["runs forever", "5b600056", "not by this address"],
    ["returns a megabyte", "621000006000f3", "could not verify"],
    ["echoes the call data", "366000600037366000f3", "not by this address"],
    ["reverts", "60006000fd", "not by this address"],
    ["returns nothing", "00", "not by this address"],
    ["returns more than the expected value", "631626ba7e60e01b60015260406000f3", "not by this address"],
  ])("is rejected if it %s", async (_name, code, reason) => {
    const id = await deployCode(code);
    expect(await signIn(await contractProof(id, () => "0x01"))).toMatchObject(refusedWith(reason));
  });

  it("is rejected if it is a precompiled contract or not deployed", async () => {
    const echo = `0x${"0".repeat(39)}4` as const;
    expect(await signIn(await contractProof(echo, () => "0x01"))).toMatchObject(refusedWith("not by"));
    const nowhere = newSigner().address;
    expect(await signIn(await contractProof(nowhere, () => "0x01"))).toMatchObject(refusedWith("not by"));
  });

  it.each([
    ["is longer than 4 KiB", `0x${"01".repeat(4_097)}`],
    ["is empty", "0x"],
    ["has half a byte", "0x123"],
    ["is not hexadecimal", "0xzz"],
    ["is an object", { $ne: null }],
  ])("is rejected if the signature %s", async (_name, signature) => {
    const id = newSigner().address;
    const data = await requestMessage({ address: id });
    expect(await signIn({ id, signature, data })).toMatchObject(refusedWith("signature must"));
  });
});

describe("an undeployed contract wallet (ERC-6492)", () => {
  it("signs in without being deployed", async () => {
    const { id, factory, create } = await plannedWallet(4);
    const reply = await signIn(await contractProof(id, wrap(factory, create)));
    expect(reply).toMatchObject({ status: 201, body: { ethAddress: id.toLowerCase() } });
    expect(await node().getCode({ address: id })).toBeUndefined();
  });

  it("signs in with the same wrapping after it is deployed", async () => {
    const { id, factory, create } = await plannedWallet(5);
    const before = await signIn(await contractProof(id, wrap(factory, create)));
    await send({ to: factory, data: create });
    const after = await signIn(await contractProof(id, wrap(factory, create)));
    expect(after).toMatchObject({ status: 200, body: { objectId: before.body.objectId } });
  });

  it("is rejected with another signer or if the factory deploys another wallet", async () => {
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
    ["returns a megabyte", "621000006000f3"],
    ["reverts", "60006000fd"],
  ])("is rejected if the factory %s", async (_name, code) => {
    const factory = await deployCode(code);
    const proof = await contractProof(newSigner().address, wrap(factory, "0x01"));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
  });

  it("is rejected if the call changes a deployed wallet instead of deploying one", async () => {
    // Without call data it writes 1 to its storage; it accepts signatures if that is written.
    const id = await deployCode("36600a576001600055005b600054631626ba7e0260e01b60005260206000f3");
    const proof = await contractProof(id, wrap(id, "0x"));
    expect(await signIn(proof)).toMatchObject(refusedWith("not by this address"));
    expect(await node().getStorageAt({ address: id, slot: "0x0" })).toBe(pad("0x0"));
  });

  it("is rejected if the wrapping is malformed", async () => {
    const suffix = "6492".repeat(16);
    const proof = await contractProof(newSigner().address, () => `0x${"ff".repeat(96)}${suffix}`);
    expect(await signIn(proof)).toMatchObject(refusedWith("signature is not valid"));
    const bare = await contractProof(newSigner().address, () => `0x${suffix}`);
    expect(await signIn(bare)).toMatchObject(refusedWith("signature is not valid"));
  });
});

describe("contract wallets on several chains", () => {
  let server: Purse;
  const nodes: Server[] = [];
  const closed = async () => `http://127.0.0.1:${await freePort()}`;

  /** A node that returns its chain ID, and handles other requests as given. */
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
    // Two chains with the same contracts at the same addresses.
    const forward = (response: ServerResponse, body: string) =>
      void fetch(purse.rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body })
        .then(async (reply) => response.end(await reply.text()))
        .catch(() => response.destroy());
    server = await hostPurse({
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
  });
  afterAll(async () => {
    await server?.remove();
    for (const node of nodes) {
      node.closeAllConnections();
      node.close();
    }
  });

  it.each([
    ["never responds", 7001],
    ["responds endlessly", 7002],
    ["is unreachable", 7003],
    ["is of another chain", 7004],
  ])(
    "are rejected if the node of the chain %s, in time and without affecting others",
    async (_name, chainId) => {
      const address = newSigner().address;
      const data = await requestMessage({ address, chain: chainId }, server);
      const waiting = signIn({ id: address, signature: "0x01", data }, server);
      const signer = newSigner();
      const text = await requestMessage({ address: signer.address, chain: chainId }, server);
      const signature = await signer.signMessage({ message: text });
      expect((await signIn({ id: signer.address, signature, data: text }, server)).status).toBe(201);
      expect(await waiting).toMatchObject(refusedWith("could not verify"));
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    },
  );

  it("are accepted only on the chain of their first sign-in, because others may belong to someone else", async () => {
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

  it("are limited in the number of concurrent signature checks", async () => {
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
  });
});

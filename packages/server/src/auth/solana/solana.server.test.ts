import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { base58btc } from "multiformats/bases/base58";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InProcessServer, startInProcess } from "../../../test/inProcessServer.ts";
import { parseSiws } from "./siws.ts";
import { isSignedByAddress, keyOfAddress } from "./solanaSignature.ts";

interface Wallet {
  address: string;
  key: KeyObject;
}

function createWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return { address: base58btc.baseEncode(raw), key: privateKey };
}

const signText = ({ key }: Wallet, text: string) => sign(null, Buffer.from(text), key).toString("base64");

describe("signatures of Solana wallets", () => {
  it("are valid for their address and text only", () => {
    const [wallet, other] = [createWallet(), createWallet()];
    const signature = signText(wallet, "hello");
    expect(isSignedByAddress(wallet.address, "hello", signature)).toBe(true);
    expect(isSignedByAddress(wallet.address, "hello!", signature)).toBe(false);
    expect(isSignedByAddress(other.address, "hello", signature)).toBe(false);
    expect(isSignedByAddress(wallet.address, "hello", signature.slice(0, 40))).toBe(false);
  });

  it.each([
    ["the system program, whose signatures anyone can make", "11111111111111111111111111111111"],
    ["an Ethereum address", "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"],
    ["a short address", "abc"],
    ["characters that base58 does not have", "0OIl".repeat(8)],
  ])("are not accepted from %s", (_what, address) => {
    expect(keyOfAddress(address)).toBeUndefined();
  });
});

describe("parseSiws()", () => {
  const text = (chain: string, address = "9".repeat(40)) =>
    [
      "example.org wants you to sign in with your Solana account:",
      address,
      "",
      "",
      "URI: https://example.org/server",
      "Version: 1",
      `Chain ID: ${chain}`,
      "Nonce: 0123456789abcdef",
      "Issued At: 2026-01-01T00:00:00.000Z",
    ].join("\n");

  it("reads the fields of a message", () => {
    expect(parseSiws(text("devnet"))).toMatchObject({ domain: "example.org", chainId: "devnet" });
  });

  it.each([
    ["an unknown cluster", text("ethereum")],
    ["an Ethereum address", text("mainnet", "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266")],
    ["text after the fields", `${text("mainnet")}\nmore`],
    ["an Ethereum message", text("mainnet").replace("Solana", "Ethereum")],
  ])("rejects %s", (_what, message) => {
    expect(() => parseSiws(message)).toThrow("Wallet sign-in was refused");
  });
});

describe("sign-in with Solana", () => {
  let server: InProcessServer | undefined;
  beforeAll(async () => {
    server = await startInProcess({ PURSE_SIWE_DOMAINS: "shop.example" });
  });
  afterAll(() => server?.remove());

  async function ask(method: string, path: string, body: JsonObject, sessionToken?: string) {
    const reply = await fetch(`${server?.url}/server${path}`, {
      method,
      headers: {
        "x-parse-application-id": "test",
        "content-type": "application/json",
        ...(sessionToken && { "x-parse-session-token": sessionToken }),
      },
      ...(method !== "GET" && { body: JSON.stringify(body) }),
    });
    const json: JsonObject = JSON.parse(await reply.text());
    return { status: reply.status, body: json };
  }

  async function messageFor({ address }: Wallet, purpose = "login"): Promise<string> {
    const { body } = await ask("POST", "/functions/requestMessage", {
      address,
      networkType: "solana",
      purpose,
    });
    if (!isJsonObject(body.result)) throw new Error(JSON.stringify(body));
    return String(body.result.message);
  }

  const proofOf = (wallet: Wallet, data: string): JsonObject => ({
    id: wallet.address,
    signature: signText(wallet, data),
    data,
  });
  const signIn = (proof: JsonObject) => ask("POST", "/users", { authData: { moralisSol: proof } });

  it("creates the user of a wallet once, and accepts each message once", async () => {
    const wallet = createWallet();
    const proof = proofOf(wallet, await messageFor(wallet));
    const first = await signIn(proof);
    expect([first.status, first.body.error]).toEqual([201, undefined]);
    expect((await signIn(proof)).body.code).toBe(101);
    const again = await signIn(proofOf(wallet, await messageFor(wallet)));
    expect([again.status, again.body.objectId]).toEqual([200, first.body.objectId]);
    const session = await ask("GET", "/sessions/me", {}, String(again.body.sessionToken));
    expect(session.body.createdWith).toEqual({ action: "login", authProvider: "moralisSol" });
  });

  it("requests and verifies messages for backends, with signatures in base58, by Moralis' Auth API", async () => {
    const wallet = createWallet();
    const post = async (path: string, body: JsonObject) => {
      const reply = await fetch(`${server?.url}/api/v2.2/challenge/${path}/solana`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "any" },
        body: JSON.stringify(body),
      });
      const json: JsonObject = JSON.parse(await reply.text());
      return { status: reply.status, body: json };
    };
    const params = { domain: "shop.example", uri: "https://shop.example/", network: "devnet", timeout: 60 };
    const { body } = await post("request", { ...params, address: wallet.address });
    const message = String(body.message);
    const signature = base58btc.baseEncode(Buffer.from(signText(wallet, message), "base64"));
    const verified = await post("verify", { message, signature });
    expect(verified).toMatchObject({
      status: 201,
      body: { address: wallet.address, network: "devnet", domain: "shop.example", id: body.id ?? "" },
    });
    expect(verified.body.profileId).toBe(body.profileId);
    expect((await post("verify", { message, signature })).status).toBe(400);
  });

  it("accepts the text of old clients with the application ID and the server's time", async () => {
    const wallet = createWallet();
    const text = (time: string, app = "test") => `Moralis Authentication\n\nId: ${app}:${time}`;
    const now = new Date().toISOString();
    expect((await signIn(proofOf(wallet, text(now, "other")))).body.code).toBe(101);
    expect((await signIn(proofOf(wallet, text("2020-01-01T00:00:00.000Z")))).body.code).toBe(101);
    expect((await signIn(proofOf(wallet, "Moralis Authentication"))).body.code).toBe(101);
    expect((await signIn(proofOf(wallet, text(now)))).status).toBe(201);
    expect((await signIn(proofOf(wallet, text(now)))).body.code).toBe(101);
  });

  it("rejects messages for another purpose, address, domain or server, and foreign signatures", async () => {
    const [wallet, other] = [createWallet(), createWallet()];
    const refused = async (proof: JsonObject) => (await signIn(proof)).body.code;
    expect(await refused(proofOf(wallet, await messageFor(wallet, "link")))).toBe(101);
    expect(await refused(proofOf(wallet, await messageFor(other)))).toBe(101);
    const message = await messageFor(wallet);
    expect(await refused({ ...proofOf(other, message), id: wallet.address })).toBe(101);
    expect(await refused(proofOf(wallet, message.replace("shop.example", "evil.example")))).toBe(101);
    expect(await refused(proofOf(wallet, message.replace("URI: http", "URI: https")))).toBe(101);
    expect(await refused(proofOf(wallet, message.replace("mainnet", "devnet")))).toBe(101);
    expect(await refused({ id: wallet.address })).toBe(101);
    expect((await signIn(proofOf(wallet, message))).status).toBe(201);
  });

  it("links a wallet to one account, and unlinks it unless it is the only sign-in method", async () => {
    const wallet = createWallet();
    const name = { username: "ada", password: "correct horse battery" };
    const { body: ada } = await ask("POST", "/users", name);
    const save = (fields: JsonObject) =>
      ask("PUT", `/users/${ada.objectId}`, fields, String(ada.sessionToken));
    const proof = proofOf(wallet, await messageFor(wallet, "link"));
    expect((await save({ authData: { moralisSol: proof } })).status).toBe(200);
    const signedIn = await signIn(proofOf(wallet, await messageFor(wallet)));
    expect(signedIn.body.objectId).toBe(ada.objectId);
    const { body: eve } = await signIn(proofOf(createWallet(), await messageFor(createWallet())));
    expect(eve.code).toBe(101);
    const rival = createWallet();
    const { body: owner } = await signIn(proofOf(rival, await messageFor(rival)));
    const stolen = await ask(
      "PUT",
      `/users/${owner.objectId}`,
      { authData: { moralisSol: proofOf(wallet, await messageFor(wallet, "link")) } },
      String(owner.sessionToken),
    );
    expect(stolen.body.code).toBe(208);
    const last = await ask(
      "PUT",
      `/users/${owner.objectId}`,
      { authData: { moralisSol: null } },
      String(owner.sessionToken),
    );
    expect(last.body.code).toBe(119);
    expect((await save({ authData: { moralisSol: null } })).status).toBe(200);
  });

  it("is not unlinked if the other wallet of the account has been unlinked before", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const data = `Moralis Authentication\n\nId: test:${new Date().toISOString()}`;
    const proof = { id: account.address, signature: await account.signMessage({ message: data }), data };
    const { body: user } = await ask("POST", "/users", { authData: { moralisEth: proof } });
    const token = String(user.sessionToken);
    const save = (fields: JsonObject) => ask("PUT", `/users/${user.objectId}`, fields, token);
    const wallet = createWallet();
    const linked = await save({
      authData: { moralisSol: proofOf(wallet, await messageFor(wallet, "link")) },
    });
    expect(linked.status).toBe(200);
    const address = account.address.toLowerCase();
    expect((await ask("DELETE", `/classes/_EthAddress/${address}`, {}, token)).status).toBe(200);
    expect((await save({ authData: { moralisSol: null } })).body.code).toBe(119);
    expect((await signIn(proofOf(wallet, await messageFor(wallet)))).body.objectId).toBe(user.objectId);
  });
});

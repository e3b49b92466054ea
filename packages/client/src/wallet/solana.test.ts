import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { User } from "../user/User.ts";
import { authenticate, link, unlink } from "./signIn.ts";

const ADDRESS = "4Nd1mYvHkPq2o5sV9nN4rYw5TdWZk7r6tQe8xJcBfA3g";
const MESSAGE = "example.org wants you to sign in with your Solana account:";
const SIGNATURE = new Uint8Array([1, 2, 3]);

/** A wallet of the Wallet Standard, which announces itself as extensions do. */
function installStandardWallet() {
  const connect = vi.fn(async () => ({ accounts: [{ address: ADDRESS }] }));
  const signMessage = vi.fn(async (_input: { account: object; message: Uint8Array }) => [
    { signature: SIGNATURE },
  ]);
  const wallet = {
    name: "Stub",
    features: { "standard:connect": { connect }, "solana:signMessage": { signMessage } },
  };
  window.addEventListener("wallet-standard:app-ready", (event) => {
    if (event instanceof CustomEvent) event.detail.register({ name: "Other", features: {} }, wallet);
  });
  return { connect, signMessage };
}

describe("Solana wallets", () => {
  let server: RecordingServer;
  beforeEach(async () => {
    vi.stubGlobal("window", new EventTarget());
    server = await startRecordingServer();
    server.connect();
    server.respondWith(({ call, body }) => {
      if (call === "POST functions/requestMessage") return { body: { result: { message: MESSAGE } } };
      if (call === "POST functions/getServerTime")
        return { body: { result: { dateTime: "2026-01-01T00:00:00.000Z" } } };
      if (call !== "POST users") return { body: { updatedAt: "2026-01-02T00:00:00.000Z" } };
      const createdAt = "2026-01-01T00:00:00.000Z";
      return {
        status: 201,
        body: { objectId: "u1", createdAt, sessionToken: "r:1", authData: body.authData },
      };
    });
  });
  afterEach(async () => {
    await User.logOut().catch(() => undefined);
    vi.unstubAllGlobals();
    await server.stop();
  });

  const requestTo = (call: string) => server.requests.find((request) => request.call === call);
  const proof = { id: ADDRESS, signature: "AQID", data: MESSAGE };

  it("sign in by the Wallet Standard with the server's message", async () => {
    const { signMessage } = installStandardWallet();
    const user = await authenticate({ type: "sol" });
    expect(requestTo("POST functions/requestMessage")?.body).toMatchObject({
      address: ADDRESS,
      networkType: "solana",
      purpose: "login",
    });
    const [input] = signMessage.mock.calls[0] ?? [];
    expect(input?.account).toEqual({ address: ADDRESS });
    expect(new TextDecoder().decode(input?.message)).toBe(MESSAGE);
    expect(requestTo("POST users")?.body.authData).toEqual({ moralisSol: proof });
    expect([user.id, user.getSessionToken(), user.getACL()?.toJSON()]).toEqual([
      "u1",
      "r:1",
      { u1: { read: true, write: true } },
    ]);
  });

  it("sign in by window.solana with the application's message", async () => {
    const signMessage = vi.fn(async (_text: Uint8Array) => ({ signature: SIGNATURE }));
    Reflect.set(window, "solana", {
      connect: async () => ({ publicKey: { toString: () => ADDRESS } }),
      signMessage,
    });
    await authenticate({ type: "sol", signingMessage: "Hello" });
    const [text] = signMessage.mock.calls[0] ?? [];
    expect(new TextDecoder().decode(text)).toMatch(/^Hello\n\nId: \w+:2026-01-01T00:00:00.000Z$/);
  });

  it("can be linked to the current user and unlinked", async () => {
    installStandardWallet();
    await authenticate({ type: "sol" });
    await link(ADDRESS, { type: "sol" });
    const messages = server.requests.filter(({ call }) => call === "POST functions/requestMessage");
    expect(messages.map(({ body }) => body.purpose)).toEqual(["login", "link"]);
    await expect(link("another", { type: "sol" })).rejects.toThrow("The wallet has another account");
    await expect(unlink("another", { type: "sol" })).rejects.toThrow("Address not found");
    await unlink(ADDRESS, { type: "sol" });
    expect(server.requests.at(-1)?.body.authData).toEqual({ moralisSol: null });
  });

  it("are reported as missing if none is installed", async () => {
    await expect(authenticate({ type: "sol" })).rejects.toThrow("No wallet of Solana is installed");
    expect(server.requests).toEqual([]);
  });

  it("of chains other than EVM chains and Solana are rejected with 252", async () => {
    await expect(authenticate({ type: "dot" })).rejects.toMatchObject({ code: 252 });
  });
});

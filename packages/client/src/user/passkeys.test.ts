import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import * as Passkeys from "./passkeys.ts";
import { User } from "./User.ts";

const CHALLENGE = "-_8AAQ";
const CHALLENGE_BYTES = new Uint8Array([251, 255, 0, 1]);
const KEY = {
  objectId: "p1",
  name: "Laptop",
  createdAt: "2026-01-01T00:00:00.000Z",
  transports: ["internal"],
  isSyncable: true,
  isBackedUp: false,
};

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

class Assertion {
  clientDataJSON = bytes(1);
  authenticatorData = bytes(2);
  signature = bytes(251, 255);
  userHandle = bytes(97);
}
class Attestation {
  clientDataJSON = bytes(1);
  attestationObject = bytes(3);
  getTransports = () => ["internal"];
}
class Credential {
  id = "-_8";
  rawId = bytes(251, 255);
  response: Assertion | Attestation;
  constructor(response: Assertion | Attestation) {
    this.response = response;
  }
  static isConditionalMediationAvailable = async () => true;
}

describe("passkeys", () => {
  let server: RecordingServer;
  const get = vi.fn(
    async (_request: CredentialRequestOptions): Promise<unknown> => new Credential(new Assertion()),
  );
  const create = vi.fn(async (_request: CredentialCreationOptions) => new Credential(new Attestation()));
  let timeout = 300_000;

  beforeEach(async () => {
    vi.stubGlobal("PublicKeyCredential", Credential);
    vi.stubGlobal("AuthenticatorAssertionResponse", Assertion);
    vi.stubGlobal("AuthenticatorAttestationResponse", Attestation);
    vi.stubGlobal("navigator", { credentials: { get, create } });
    server = await startRecordingServer();
    server.connect();
    server.respondWith(({ call, body }) => {
      if (call === "POST passkeys/options") return { body: { options: optionsFor(body), userId: "u1" } };
      if (call === "POST users")
        return { body: { objectId: "u1", username: "ada", createdAt: KEY.createdAt, sessionToken: "r:1" } };
      if (call === "GET passkeys") return { body: { results: [KEY] } };
      if (call.startsWith("DELETE")) return { body: {} };
      return { body: { ...KEY, ...(typeof body.name === "string" && { name: body.name }) } };
    });
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    get.mockClear();
    create.mockClear();
    timeout = 300_000;
    await server.stop();
  });

  function optionsFor({ purpose }: JsonObject): JsonObject {
    const shared = { challenge: CHALLENGE, timeout };
    if (purpose !== "register" && purpose !== "signup")
      return { ...shared, rpId: "localhost", userVerification: "required" };
    return {
      ...shared,
      rp: { id: "localhost", name: "Purse" },
      user: { id: "YQ", name: "ada", displayName: "ada" },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      excludeCredentials: [{ id: "-_8", type: "public-key", transports: ["internal", "hybrid", "x"] }],
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
    };
  }

  const requestTo = (call: string) => server.requests.find((request) => request.call === call);

  it("create an account with a new credential, and sign in to it", async () => {
    const user = await Passkeys.signUp({ username: "ada", name: "Phone" });
    expect([user.id, user.getSessionToken()]).toEqual(["u1", "r:1"]);
    expect(requestTo("POST passkeys/options")?.body).toMatchObject({ purpose: "signup", username: "ada" });
    expect(requestTo("POST users")?.body).toMatchObject({
      username: "ada",
      authData: { passkey: { userId: "u1", name: "Phone", credential: { id: "-_8" } } },
    });
    expect(user.get("authData")).toEqual({});
  });

  it("sign in with the browser's assertion, which later saves do not send again", async () => {
    const user = await Passkeys.signIn();
    expect(get.mock.calls[0]?.[0]).toEqual({
      publicKey: {
        challenge: CHALLENGE_BYTES,
        rpId: "localhost",
        timeout,
        allowCredentials: [],
        userVerification: "required",
      },
    });
    expect(requestTo("POST users")?.body.authData).toEqual({
      passkey: {
        id: "-_8",
        rawId: "-_8",
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: "AQ", authenticatorData: "Ag", signature: "-_8", userHandle: "YQ" },
      },
    });
    expect([user.id, user.getSessionToken(), user.get("authData")]).toEqual(["u1", "r:1", {}]);
  });

  it("are registered with binary values encoded, and with a name", async () => {
    const passkey = await Passkeys.register({ name: "Phone", code: "123456" });
    expect(requestTo("POST passkeys/options")?.body).toMatchObject({ purpose: "register", code: "123456" });
    expect(create.mock.calls[0]?.[0].publicKey).toMatchObject({
      challenge: CHALLENGE_BYTES,
      user: { id: new Uint8Array([97]), name: "ada" },
      excludeCredentials: [{ id: new Uint8Array([251, 255]), transports: ["hybrid", "internal"] }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const { credential, name } = requestTo("POST passkeys")?.body ?? {};
    expect(name).toBe("Phone");
    expect(isJsonObject(credential) && credential.response).toEqual({
      clientDataJSON: "AQ",
      attestationObject: "Aw",
      transports: ["internal"],
    });
    expect(passkey).toMatchObject({ id: "p1", name: "Phone", createdAt: new Date(KEY.createdAt) });
  });

  it("are listed, renamed and removed", async () => {
    expect(await Passkeys.list()).toMatchObject([{ id: "p1", lastUsedAt: undefined, isSyncable: true }]);
    expect((await Passkeys.rename("p1", "Old")).name).toBe("Old");
    await Passkeys.remove("p1");
    expect(server.requests.map(({ call }) => call)).toEqual([
      "GET passkeys",
      "PUT passkeys/p1",
      "DELETE passkeys/p1",
    ]);
  });

  it("provide a second factor", async () => {
    expect(await Passkeys.proveFactor()).toMatchObject({ passkey: { id: "-_8" } });
    expect(requestTo("POST passkeys/options")?.body.purpose).toBe("factor");
  });

  it("wait in a field's autofill with a fresh challenge before the old one expires, until aborted", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const controller = new AbortController();
      get.mockImplementation(
        ({ signal }) =>
          new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      );
      const signedIn = Passkeys.signIn({ autofill: true, signal: controller.signal });
      await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(1));
      expect(get.mock.calls[0]?.[0].mediation).toBe("conditional");
      await vi.advanceTimersByTimeAsync(280_000);
      await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(2));
      controller.abort(new Error("the page was left"));
      await expect(signedIn).rejects.toThrow("the page was left");
    } finally {
      vi.useRealTimers();
      get.mockImplementation(async () => new Credential(new Assertion()));
    }
  });

  it("leave the user signed out if the prompt is cancelled", async () => {
    get.mockRejectedValueOnce(new DOMException("The user cancelled", "NotAllowedError"));
    await expect(Passkeys.signIn()).rejects.toThrow("The user cancelled");
    expect(await User.currentAsync()).toBeNull();
  });

  it("are unsupported without the browser's interfaces and on pages with an IP address", async () => {
    expect([Passkeys.isSupported(), await Passkeys.isAutofillSupported()]).toEqual([true, true]);
    for (const hostname of ["127.0.0.1", "[::1]"]) {
      vi.stubGlobal("location", { hostname });
      expect(Passkeys.isSupported()).toBe(false);
    }
    vi.stubGlobal("location", { hostname: "example.org" });
    expect(Passkeys.isSupported()).toBe(true);
    vi.stubGlobal("PublicKeyCredential", undefined);
    expect([Passkeys.isSupported(), await Passkeys.isAutofillSupported()]).toEqual([false, false]);
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CeremonyChoices, SoftAuthenticator } from "../../../test/softAuthenticator.ts";
import { openStudioClasses } from "../../data/schema/studioClasses.ts";
import { openStore } from "../../database/openStore.ts";
import { type Store, UniqueConstraintError } from "../../database/store.ts";
import { PasskeyCeremonies } from "./ceremonies.ts";
import { PasskeyRecords } from "./passkeyRecords.ts";

const ORIGIN = "https://app.example.org";
const CHALLENGE_SECONDS = 60;
const ADA = { id: "ada", name: "ada@example.org" };
const EVE = { id: "eve", name: "eve@example.org" };

describe("PasskeyCeremonies", () => {
  let folder: string;
  let store: Store;
  let now = Date.now();
  let ceremonies: PasskeyCeremonies;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-passkeys-"));
    store = await openStore({ kind: "sqlite", path: join(folder, "a.sqlite") });
    const { _StudioPasskey: schema } = await openStudioClasses(store);
    const clock = () => now;
    ceremonies = new PasskeyCeremonies({
      store,
      records: new PasskeyRecords({ store, schema: () => schema, scope: "credential", clock }),
      party: { id: "example.org", name: "Shop", origins: [ORIGIN] },
      clock,
      challengeSeconds: CHALLENGE_SECONDS,
      challengeScope: "challenge",
      handlePrefix: "",
    });
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function register(
    account = ADA,
    authenticator = new SoftAuthenticator(ORIGIN),
  ): Promise<SoftAuthenticator> {
    const options = await ceremonies.registrationOptions(account);
    const { writes } = await ceremonies.verifyRegistration(
      account.id,
      authenticator.register(options),
      "Laptop",
    );
    await store.write(writes);
    return authenticator;
  }

  /** Signs in and stores that; resolves with the ID of the account. */
  async function signIn(response: JsonObject): Promise<string> {
    const { passkey, writes } = await ceremonies.verify(response, "login");
    await store.write(writes);
    return passkey.owner;
  }

  const signInWith = async (authenticator: SoftAuthenticator, choices: CeremonyChoices = {}) =>
    signIn(authenticator.signIn(await ceremonies.assertionOptions("login"), choices));

  it("registers a passkey that signs in to its account, and records its use", async () => {
    const authenticator = await register();
    now += 1_000;
    expect(await signInWith(authenticator)).toBe("ada");
    const passkey = await ceremonies.identify(authenticator.signIn({ rpId: "example.org", challenge: "x" }));
    expect(passkey).toMatchObject({
      owner: "ada",
      name: "Laptop",
      counter: 2,
      transports: ["hybrid", "internal"],
      isSyncable: false,
      isBackedUp: false,
      lastUsedAt: new Date(now).toISOString(),
    });
  });

  it("records that a passkey is synced to other devices, with a counter of 0", async () => {
    const authenticator = await register(ADA, new SoftAuthenticator(ORIGIN, true));
    expect([await signInWith(authenticator), await signInWith(authenticator)]).toEqual(["ada", "ada"]);
    const passkeys = await ceremonies.records.list("ada");
    expect(passkeys.find(({ credentialId }) => credentialId === authenticator.id)).toMatchObject({
      counter: 0,
      isSyncable: true,
      isBackedUp: true,
    });
  });

  it("requests a discoverable passkey with user verification, and excludes those of the account", async () => {
    const { id } = await register();
    const options = await ceremonies.registrationOptions(ADA);
    expect(options).toMatchObject({
      rp: { id: "example.org", name: "Shop" },
      user: { id: Buffer.from("ada").toString("base64url"), name: ADA.name },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    });
    expect(options.excludeCredentials).toContainEqual({
      id,
      type: "public-key",
      transports: ["hybrid", "internal"],
    });
    expect(await ceremonies.assertionOptions("login")).toMatchObject({ userVerification: "required" });
  });

  it.each<[string, CeremonyChoices, string]>([
    ["another origin", { origin: "https://evil.example" }, "it was used on another site"],
    ["a frame of another site", { crossOrigin: true }, "it was used in a frame of another site"],
    ["another RP ID", { rpId: "evil.example" }, "it belongs to another site"],
    ["no user verification", { isUserVerified: false }, "its user was not verified"],
    ["a counter that has not grown", { counter: 1 }, "its counter has not grown"],
    ["the user handle of another account", { userHandle: "ZXZl" }, "it belongs to another account"],
    ["no user handle", { userHandle: "" }, "it belongs to another account"],
  ])("rejects a sign-in with %s", async (_what, choices, reason) => {
    const authenticator = await register();
    await expect(signInWith(authenticator, choices)).rejects.toThrow(reason);
    expect(await signInWith(authenticator, { counter: 5 })).toBe("ada");
  });

  it.each<[string, CeremonyChoices, string]>([
    ["another origin", { origin: "https://evil.example" }, "it was used on another site"],
    ["another RP ID", { rpId: "evil.example" }, "it belongs to another site"],
    ["no user verification", { isUserVerified: false }, "its user was not verified"],
  ])("rejects a registration with %s", async (_what, choices, reason) => {
    const response = new SoftAuthenticator(ORIGIN).register(
      await ceremonies.registrationOptions(ADA),
      choices,
    );
    await expect(ceremonies.verifyRegistration("ada", response, "x")).rejects.toThrow(reason);
  });

  it("rejects a signature that is not the passkey's", async () => {
    const authenticator = await register();
    const response = authenticator.signIn(await ceremonies.assertionOptions("login"));
    const other = authenticator.signIn(await ceremonies.assertionOptions("login"));
    const { response: signed } = response;
    const { response: otherSigned } = other;
    if (!isJsonObject(signed) || !isJsonObject(otherSigned)) throw new Error("no response");
    const forged = { ...response, response: { ...signed, signature: otherSigned.signature ?? null } };
    await expect(signIn(forged)).rejects.toThrow("its signature is not valid");
  });

  it("rejects a response that was used before or is used concurrently", async () => {
    const authenticator = await register(ADA, new SoftAuthenticator(ORIGIN, true));
    const response = authenticator.signIn(await ceremonies.assertionOptions("login"));
    const both = await Promise.all([
      ceremonies.verify(response, "login"),
      ceremonies.verify(response, "login"),
    ]);
    const results = await Promise.allSettled(both.map(({ writes }) => store.write(writes)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const [, second] = results;
    const error: unknown = second?.status === "rejected" ? second.reason : undefined;
    if (!(error instanceof UniqueConstraintError)) throw error;
    expect(ceremonies.conflictError(error)?.message).toContain("its challenge has been used already");
    await expect(signIn(response)).rejects.toThrow("its challenge is unknown");
  });

  it("accepts only one of two concurrent uses of a counter", async () => {
    const authenticator = await register();
    const uses = await Promise.all(
      [5, 6].map(async (counter) =>
        ceremonies.verify(
          authenticator.signIn(await ceremonies.assertionOptions("login"), { counter }),
          "login",
        ),
      ),
    );
    const results = await Promise.allSettled(uses.map(({ writes }) => store.write(writes)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  it("rejects a challenge for another purpose or account, and an unknown one", async () => {
    const authenticator = await register();
    const refused = "its challenge is unknown";
    const factor = authenticator.signIn(await ceremonies.assertionOptions("factor"));
    await expect(signIn(factor)).rejects.toThrow(refused);
    const login = authenticator.signIn(await ceremonies.assertionOptions("login"));
    await expect(ceremonies.verify(login, "factor")).rejects.toThrow(refused);
    const ofEve = new SoftAuthenticator(ORIGIN).register(await ceremonies.registrationOptions(EVE));
    await expect(ceremonies.verifyRegistration("ada", ofEve, "x")).rejects.toThrow(refused);
    const registration = await ceremonies.registrationOptions(ADA);
    await expect(
      signIn(authenticator.signIn({ rpId: "example.org", challenge: registration.challenge ?? "" })),
    ).rejects.toThrow(refused);
    await expect(
      signIn(authenticator.signIn({ rpId: "example.org", challenge: "x".repeat(43) })),
    ).rejects.toThrow(refused);
  });

  it("rejects an expired challenge", async () => {
    const authenticator = await register();
    // The store goes by its own clock, which `now` may be ahead of.
    const elapsed = CHALLENGE_SECONDS * 1_000 + 60_000;
    now -= elapsed;
    const late = authenticator.signIn(await ceremonies.assertionOptions("login"));
    now += elapsed;
    await expect(signIn(late)).rejects.toThrow("its challenge is unknown, has expired");
    expect(await signInWith(authenticator)).toBe("ada");
  });

  it("rejects the passkey of another account as a second factor", async () => {
    const ofEve = await register(EVE);
    const response = ofEve.signIn(await ceremonies.assertionOptions("factor"));
    await expect(ceremonies.verify(response, "factor", "ada")).rejects.toThrow(
      "it belongs to another account",
    );
    expect((await ceremonies.verify(response, "factor", "eve")).passkey.owner).toBe("eve");
  });

  it("registers a credential only once until it is removed", async () => {
    const authenticator = await register();
    await expect(register(EVE, authenticator)).rejects.toBeInstanceOf(UniqueConstraintError);
    const passkey = await ceremonies.identify(authenticator.signIn({ rpId: "example.org", challenge: "x" }));
    await store.write(ceremonies.records.removeWrites(passkey));
    await expect(signInWith(authenticator)).rejects.toThrow("it is not registered here");
    await register(EVE, authenticator);
    expect(await signInWith(authenticator, { counter: 9 })).toBe("eve");
  });

  it.each<JsonValue>([null, {}, { id: "a", rawId: "a", type: "public-key" }, { id: "=", rawId: "=" }])(
    "rejects %j, which no browser sends",
    async (value) => {
      await expect(ceremonies.verify(value, "login")).rejects.toThrow("it is not the JSON of a sign-in");
      await expect(ceremonies.verifyRegistration("ada", value, "x")).rejects.toThrow("it is not the JSON");
    },
  );
});

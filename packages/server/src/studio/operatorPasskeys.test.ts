import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SoftAuthenticator } from "../../test/softAuthenticator.ts";
import { Passwords } from "../auth/password.ts";
import { createMemoryLimiter } from "../core/limits/rateLimiter.ts";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import { openStore } from "../database/openStore.ts";
import type { Store } from "../database/store.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import { OperatorPasskeys } from "./operatorPasskeys.ts";
import { Operators } from "./operators.ts";
import { StudioSessions } from "./sessions.ts";
import { SignIn } from "./signIn.ts";

const ORIGIN = "https://purse.example";
const PASSWORD = "correct horse battery";

describe("passkeys of operators", () => {
  let folder: string;
  let store: Store;
  let operators: Operators;
  let passkeys: OperatorPasskeys;
  let signIn: SignIn;
  let clients = 0;
  /** Another address each time: attempts of one address are limited. */
  const client = () => ({ address: `192.0.2.${++clients}`, userAgent: "test" });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-operator-passkeys-"));
    store = await openStore({ kind: "sqlite", path: join(folder, "a.sqlite") });
    const base = { store, classes: await openStudioClasses(store), clock: Date.now };
    operators = new Operators({ ...base, passwords: new Passwords() });
    passkeys = new OperatorPasskeys({
      ...base,
      party: { id: "purse.example", name: "Purse studio", origins: [ORIGIN] },
      challengeSeconds: 60,
    });
    signIn = new SignIn({
      ...base,
      operators,
      passkeys,
      sessions: new StudioSessions(base),
      limiter: createMemoryLimiter({ clock: Date.now }),
    });
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  let names = 0;
  async function addOperator(): Promise<{ operator: StudioOperator; authenticator: SoftAuthenticator }> {
    const operator = await operators.add({ username: `op${++names}`, password: PASSWORD, role: "owner" });
    const authenticator = new SoftAuthenticator(ORIGIN);
    const credential = authenticator.register(await passkeys.registrationOptions(operator));
    await passkeys.register(operator.id, credential, "Key");
    return { operator, authenticator };
  }

  const prove = async (authenticator: SoftAuthenticator, purpose: "login" | "factor") =>
    authenticator.signIn(await signIn.passkeyOptions(purpose, client()));

  it("sign in without username and password, once for each challenge", async () => {
    const { operator, authenticator } = await addOperator();
    const proof = await prove(authenticator, "login");
    const signedIn = await signIn.signInWithPasskey(proof, client());
    expect(signedIn.operator.id).toBe(operator.id);
    expect(signedIn.session.operatorId).toBe(operator.id);
    await expect(signIn.signInWithPasskey(proof, client())).rejects.toThrow("its challenge is unknown");
    expect(await passkeys.list(operator.id)).toMatchObject([
      { name: "Key", lastUsedAt: expect.any(String), isSyncable: false },
    ]);
  });

  it("replace the code of their own operator only", async () => {
    const { operator, authenticator } = await addOperator();
    const other = await addOperator();
    const secret = await operators.beginFactor(operator.id);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await operators.confirmFactor(operator.id, code);
    const credentials = { username: operator.username, password: PASSWORD };
    await expect(signIn.signIn(credentials, client())).rejects.toThrow("A code of the second factor");
    const passkey = await prove(other.authenticator, "factor");
    await expect(signIn.signIn({ ...credentials, passkey }, client())).rejects.toThrow("another account");
    const login = await prove(authenticator, "login");
    await expect(signIn.signIn({ ...credentials, passkey: login }, client())).rejects.toThrow(
      "another purpose",
    );
    const own = await prove(authenticator, "factor");
    expect((await signIn.signIn({ ...credentials, passkey: own }, client())).operator.id).toBe(operator.id);
    const current = await operators.require(operator.id);
    await expect(signIn.assertIdentity(current, { password: PASSWORD }, client())).rejects.toThrow("code");
    await signIn.assertIdentity(
      current,
      { password: PASSWORD, passkey: await prove(authenticator, "factor") },
      client(),
    );
    await signIn.removeFactor(current, { passkey: await prove(authenticator, "factor") });
    expect((await operators.require(operator.id)).hasSecondFactor).toBe(false);
  });

  it("do not sign in a disabled operator", async () => {
    const { operator, authenticator } = await addOperator();
    await operators.change(operator.id, { isDisabled: true });
    await expect(signIn.signInWithPasskey(await prove(authenticator, "login"), client())).rejects.toThrow(
      "The operator cannot sign in.",
    );
  });

  it("lock the operator after ten wrong responses", async () => {
    const { authenticator } = await addOperator();
    const options = await passkeys.options("login");
    for (let attempt = 0; attempt < 10; attempt++) {
      const wrong = authenticator.signIn(options, { origin: "https://evil.example" });
      await expect(signIn.signInWithPasskey(wrong, client())).rejects.toThrow("another site");
    }
    await expect(signIn.signInWithPasskey(await prove(authenticator, "login"), client())).rejects.toThrow(
      "Too many wrong passwords",
    );
  });

  it("belong to their operator, who can rename and remove them", async () => {
    const { operator, authenticator } = await addOperator();
    const other = await addOperator();
    const [passkey] = await passkeys.list(operator.id);
    const id = passkey?.id ?? "";
    await expect(passkeys.rename(other.operator.id, id, "x")).rejects.toThrow("does not exist");
    await expect(passkeys.remove(other.operator.id, id)).rejects.toThrow("does not exist");
    expect((await passkeys.rename(operator.id, id, "Desk")).name).toBe("Desk");
    expect(await passkeys.remove(operator.id, id)).toBe("Desk");
    await expect(signIn.signInWithPasskey(await prove(authenticator, "login"), client())).rejects.toThrow(
      "it is not registered here",
    );
  });

  it("are removed with their operator", async () => {
    const { operator } = await addOperator();
    await operators.remove(operator.id);
    expect(await passkeys.list(operator.id)).toEqual([]);
  });
});

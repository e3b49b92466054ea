import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ANONYMOUS } from "../../core/authContext.ts";
import { AuthDataSignIn } from "./authDataSignIn.ts";
import { AuthProviders } from "./authProviders.ts";

/** Sign-ins by anonymous IDs, the providers whose names were looked up, and the users found. */
function signInsWith(owners: Record<string, string> = {}) {
  const lookedUp: string[] = [];
  const providers = new AuthProviders({
    config: { auth: {}, enableAnonymousUsers: true, minAnonymousIdLength: 1, compatibility: "strict" },
    store: {
      async getUniqueOwner(scope, value) {
        lookedUp.push(scope);
        return owners[value];
      },
    },
  });
  return { lookedUp, providers, signIns: new AuthDataSignIn({ providers, allowsExpiredTokens: false }) };
}
const REQUEST = { auth: ANONYMOUS, installationId: undefined, context: {}, ip: "192.0.2.1", requestId: "r" };

describe("the owner of identities", () => {
  it("is found by the ID at a provider", async () => {
    const { signIns } = signInsWith({ one: "user" });
    expect(await signIns.ownerOf([["anonymous", { id: "one" }]], REQUEST)).toBe("user");
    expect(await signIns.ownerOf([["anonymous", { id: "two" }]], REQUEST)).toBeUndefined();
  });

  it("is not looked up by names that are no provider, however many a client sends", async () => {
    const { signIns, providers, lookedUp } = signInsWith({ one: "user" });
    const proofs = Array.from({ length: 1_000 }, (_, i): [string, JsonValue] => [
      `unknown${i}`,
      { id: "one" },
    ]);
    expect(await signIns.ownerOf(proofs, REQUEST)).toBeUndefined();
    expect(lookedUp).toEqual([]);
    const check = { request: REQUEST, user: undefined, isSignedIn: false };
    await expect(providers.verifyAll(proofs, check)).rejects.toMatchObject({ code: 252 });
  });
});

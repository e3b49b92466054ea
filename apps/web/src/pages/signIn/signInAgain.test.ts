import { CoreManager, User } from "@purse/client";
import type { JsonObject } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signInAgain } from "./signInAgain.ts";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

class Assertion {
  clientDataJSON = bytes(1);
  authenticatorData = bytes(2);
  signature = bytes(3);
  userHandle = bytes(97);
}
class Credential {
  id = "-_8";
  rawId = bytes(251, 255);
  response = new Assertion();
}

/** What the server answers to the passkey. */
const ADA: JsonObject = { objectId: "ada", username: "ada", sessionToken: "r:new" };

describe("signing in again with a passkey", () => {
  const answers: Record<string, JsonObject> = {
    "passkeys/options": { options: { challenge: "AQ" } },
    users: ADA,
  };
  const request = vi.fn(
    async (_method: string, path: string, _body?: object, _options?: object) => answers[path] ?? {},
  );
  const hydrate = vi.spyOn(User, "hydrate");

  beforeEach(() => {
    vi.stubGlobal("PublicKeyCredential", Credential);
    vi.stubGlobal("AuthenticatorAssertionResponse", Assertion);
    vi.stubGlobal("navigator", { credentials: { get: async () => new Credential() } });
    vi.spyOn(CoreManager, "getRESTController").mockReturnValue({ request });
    hydrate.mockResolvedValue(new User());
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    request.mockClear();
    hydrate.mockClear();
  });

  const sent = () => request.mock.calls.map(([, path, , options]) => [path, options]);

  it("makes the same user current, with a new session and without the old one", async () => {
    expect(await signInAgain("ada")).toBe(true);
    expect(hydrate).toHaveBeenCalledExactlyOnceWith(ADA);
    expect(sent()).toEqual([
      ["passkeys/options", { sessionToken: "" }],
      ["users", { sessionToken: "" }],
    ]);
  });

  it("keeps the user if the passkey belongs to another, whose session it ends", async () => {
    expect(await signInAgain("bob")).toBe(false);
    expect(hydrate).not.toHaveBeenCalled();
    expect(sent().at(-1)).toEqual(["logout", { sessionToken: "r:new" }]);
  });
});

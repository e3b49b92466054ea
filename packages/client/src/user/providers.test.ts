import { isJsonObject } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { AnonymousUtils } from "./AnonymousUtils.ts";
import type { AuthData, AuthProvider } from "./authProviders.ts";
import { FacebookUtils } from "./FacebookUtils.ts";
import { User } from "./User.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect({ masterKey: "m" });
  server.respondWith(({ call, body }) => {
    if (call !== "POST users") return { body: { updatedAt: "2026-01-02T00:00:00.000Z" } };
    const { authData } = body;
    return {
      status: 201,
      body: {
        objectId: `u${server.requests.length}`,
        createdAt: "2026-01-01T00:00:00.000Z",
        sessionToken: "r:1",
        ...(isJsonObject(authData) && { authData }),
      },
    };
  });
});
afterEach(async () => {
  Reflect.deleteProperty(globalThis, "FB");
  await server.stop();
});

const calls = () => server.requests.map(({ call }) => call);

/** A page's Facebook script, as far as it is used. */
function loadFacebook(userID = "f1") {
  const sdk = {
    init: vi.fn(),
    logout: vi.fn(),
    getAuthResponse: () => ({ userID }),
    login: (done: (response: unknown) => void) =>
      done({ authResponse: { userID, accessToken: "t", expiresIn: 60 } }),
  };
  Reflect.set(globalThis, "FB", sdk);
  return sdk;
}

describe("a registered authentication provider", () => {
  const restored: (AuthData | null)[] = [];
  const provider: AuthProvider = {
    getAuthType: () => "badge",
    authenticate: ({ success }) => success(provider, { id: "b1" }),
    restoreAuthentication: (authData) => {
      restored.push(authData);
      return authData?.id !== "expired";
    },
    deauthenticate: vi.fn(),
  };

  it("provides the authData of a login, and is notified of the logout", async () => {
    await User._registerAuthenticationProvider(provider);
    const user = await User.logInWith("badge");
    expect(server.requests[0]).toMatchObject({
      call: "POST users",
      body: { authData: { badge: { id: "b1" } } },
    });
    expect(user._isLinked("badge")).toBe(true);
    await User.logOut();
    expect(provider.deauthenticate).toHaveBeenCalledOnce();
  });

  it("restores the current user's authData, and is unlinked if that has expired", async () => {
    await User.hydrate({ objectId: "u1", sessionToken: "r:1", authData: { badge: { id: "expired" } } });
    await User._registerAuthenticationProvider(provider);
    expect(restored).toContainEqual({ id: "expired" });
    expect(server.requests[0]).toMatchObject({
      call: "PUT classes/_User/u1",
      body: { authData: { badge: null } },
    });
  });
});

describe("FacebookUtils", () => {
  it("requires the SDK script and init()", async () => {
    expect(() => FacebookUtils.init()).toThrow(
      "The Facebook JavaScript SDK must be loaded before calling init.",
    );
    await expect(FacebookUtils.logIn("email")).rejects.toThrow(
      "You must initialize FacebookUtils before calling logIn.",
    );
  });

  it("logs in with the SDK's authData or with given authData", async () => {
    const sdk = loadFacebook();
    await FacebookUtils.init();
    expect(sdk.init).toHaveBeenCalledWith({ status: false });
    const user = await FacebookUtils.logIn("email");
    expect(FacebookUtils.isLinked(user)).toBe(true);
    expect(server.requests[0]?.body.authData).toMatchObject({ facebook: { id: "f1", access_token: "t" } });
    await FacebookUtils.logIn({ id: "f2", access_token: "u" });
    expect(server.requests[1]?.body.authData).toEqual({ facebook: { id: "f2", access_token: "u" } });
    await FacebookUtils.unlink(user);
    expect(FacebookUtils.isLinked(user)).toBe(false);
  });
});

describe("an anonymous user", () => {
  it("is deleted when another user signs up, because it cannot be used again", async () => {
    const nobody = await AnonymousUtils.logIn();
    expect(AnonymousUtils.isRegistered()).toBe(true);
    await User.signUp("ann", "a password");
    expect(calls()).toEqual(["POST users", "POST users", `DELETE classes/_User/${nobody.id}`]);
  });

  it("is deleted on logout", async () => {
    const nobody = await AnonymousUtils.logIn();
    await User.logOut();
    expect(calls()).toEqual(["POST users", `DELETE classes/_User/${nobody.id}`, "POST logout"]);
  });

  it("is no longer anonymous once it has a username", () => {
    const user = new User({ authData: { anonymous: { id: "a" } } });
    user.setUsername("ann");
    expect(AnonymousUtils.isLinked(user)).toBe(false);
    user.restoreAnonimity({ id: "a" });
    expect(AnonymousUtils.isLinked(user)).toBe(true);
  });
});

describe("other ways of logging in:", () => {
  it("logInWithAdditionalAuth() sends a password and additional authData", async () => {
    server.respondWith(() => ({ body: { objectId: "u1", sessionToken: "r:1" } }));
    await User.logInWithAdditionalAuth("ann", "pw", { mfa: { token: "123456" } });
    expect(server.requests[0]).toMatchObject({
      call: "POST login",
      body: { username: "ann", password: "pw", authData: { mfa: { token: "123456" } } },
    });
    // @ts-expect-error A text is no such data.
    await expect(User.logInWithAdditionalAuth("ann", "pw", "123456")).rejects.toThrow(
      "Auth must be an object.",
    );
  });

  it("loginAs() logs in as another user with the master key", async () => {
    server.respondWith(() => ({ body: { objectId: "u9", sessionToken: "r:9" } }));
    expect((await User.loginAs("u9")).isCurrent()).toBe(true);
    expect(server.requests[0]).toMatchObject({
      call: "POST loginAs",
      body: { userId: "u9", _MasterKey: "m" },
    });
    await expect(User.loginAs("")).rejects.toMatchObject({
      code: 200,
      message: "Cannot log in as user with an empty user id",
    });
  });

  it("enableRevocableSession() exchanges an old session token", async () => {
    await User.hydrate({ objectId: "u1", sessionToken: "old" });
    server.respondWith(() => ({ body: { sessionToken: "r:new" } }));
    await User.enableRevocableSession();
    expect(calls()).toEqual(["POST upgradeToRevocableSession"]);
    expect(User.current()?.getSessionToken()).toBe("r:new");
  });
});

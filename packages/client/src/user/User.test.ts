import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, slowStorage, startRecordingServer } from "../../test/recordingServer.ts";
import { connection, reconfigure } from "../connection.ts";
import { ACL } from "../object/ACL.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { onCurrentUser, resetIdentities } from "../storedUser.ts";
import { beforeLogOut } from "./logOutHooks.ts";
import { Role } from "./Role.ts";
import { Session } from "./Session.ts";
import { User } from "./User.ts";

const account = {
  objectId: "u1",
  username: "ann",
  sessionToken: "r:1",
  createdAt: "2026-01-01T00:00:00.000Z",
};

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(({ call }) => ({ status: call === "POST users" ? 201 : 200, body: account }));
});
afterEach(() => server.stop());

/** What the storage holds, as a new page would read it. */
async function stored(): Promise<unknown> {
  const text = await connection().storage.area.getItem("Parse/app/currentUser");
  return text === null ? null : JSON.parse(text);
}

describe("signing up", () => {
  it("sets the current user", {
    tags: ["4.current-user.cached-after-sign-up", "4.current-user.persisted-after-sign-up"],
  }, async () => {
    const user = await User.signUp("ann", "secret", { email: "a@b.c" });
    expect(server.requests[0]).toMatchObject({
      call: "POST users",
      body: { username: "ann", password: "secret", email: "a@b.c" },
    });
    expect(User.current()).toBe(user);
    expect(await stored()).toMatchObject({ objectId: "u1", sessionToken: "r:1", className: "_User" });
  });

  it("neither signs in nor out if the response has no session token, as before email verification", async () => {
    const { sessionToken: _, ...unverifiedAccount } = { ...account, objectId: "u2" };
    server.respondWith(({ call }) =>
      call === "POST users" ? { status: 201, body: unverifiedAccount } : { status: 200, body: account },
    );
    const unverified = await User.signUp("ann", "secret", { email: "a@b.c" });
    expect([unverified.id, unverified.getSessionToken(), unverified.authenticated()]).toEqual([
      "u2",
      undefined,
      false,
    ]);
    expect([User.current(), await stored()]).toEqual([null, null]);
    const ada = await User.logIn("ada", "secret");
    await User.signUp("bob", "secret");
    expect(User.current()).toBe(ada);
  });

  it("does not store the password", async () => {
    const user = await User.signUp("ann", "secret");
    expect(user.get("password")).toBeUndefined();
    expect(JSON.stringify(await stored())).not.toContain("secret");
    expect(user.dirty()).toBe(false);
  });

  it("stores the user under currentUser of the application", {
    tags: ["9.current-user-key", "9.current-user-namespace"],
  }, async () => {
    await User.signUp("ann", "secret");
    expect(connection().storage.area.getItem("Parse/app/currentUser")).toContain("u1");
  });

  it("requires a username", { tags: ["5.sign-up.username-non-empty"] }, async () => {
    await expect(User.signUp("", "secret")).rejects.toThrow("Cannot sign up user with an empty username.");
    expect(server.requests).toHaveLength(0);
  });

  it("requires a password", { tags: ["5.sign-up.password-non-empty"] }, async () => {
    await expect(User.signUp("ann", "")).rejects.toThrow("Cannot sign up user with an empty password.");
  });
});

describe("logging in", () => {
  it("sets the current user", {
    tags: ["4.current-user.cached-after-login", "4.current-user.persisted-after-login"],
  }, async () => {
    const user = await User.logIn("ann", "secret");
    expect(server.requests[0]).toMatchObject({
      call: "POST login",
      body: { username: "ann", password: "secret" },
    });
    expect(User.current()).toBe(user);
    expect(user.authenticated()).toBe(true);
    expect(await stored()).toMatchObject({ objectId: "u1", sessionToken: "r:1" });
  });

  it("sends a GET if usePost is false", async () => {
    await User.logIn("ann", "secret", { usePost: false });
    expect(server.requests[0]?.call).toBe("GET login");
  });

  it("requires strings", { tags: ["5.login.username-string", "5.login.password-string"] }, async () => {
    await expect(User.logIn(JSON.parse("1"), "secret")).rejects.toThrow("Username must be a string.");
    await expect(User.logIn("ann", JSON.parse("null"))).rejects.toThrow("Password must be a string.");
  });

  it("signs up in loginOrSignup() if the account does not exist", {
    tags: ["4.login-or-signup.code-101"],
  }, async () => {
    server.respondWith(({ call }) =>
      call === "POST login"
        ? { status: 404, body: { code: 101, error: "Invalid username/password." } }
        : { status: 201, body: account },
    );
    expect((await User.loginOrSignup("ann", "secret")).id).toBe("u1");
    expect(server.requests.map(({ call }) => call)).toEqual(["POST login", "POST users"]);
  });

  it("does not sign up in loginOrSignup() after another failure", async () => {
    server.respondWith(() => ({ status: 400, body: { code: 205, error: "locked" } }));
    await expect(User.loginOrSignup("ann", "secret")).rejects.toMatchObject({ code: 205 });
    expect(server.requests).toHaveLength(1);
  });

  it("with become() uses a session token", {
    tags: ["4.current-user.cached-after-become", "4.current-user.persisted-after-become"],
  }, async () => {
    const user = await User.become("r:1");
    expect(server.requests[0]).toMatchObject({ call: "GET users/me", body: { _SessionToken: "r:1" } });
    expect(User.current()).toBe(user);
    expect(await stored()).toMatchObject({ sessionToken: "r:1" });
  });

  it("is not done by me(), which only returns the user", async () => {
    expect((await User.me("r:1")).id).toBe("u1");
    expect(User.current()).toBeNull();
  });

  it("with logInWith() sends the provider's authData, such as that of a wallet", async () => {
    const authData = { id: "0xabc", signature: "0x1", data: "Moralis Authentication" };
    const user = await User.logInWith("moralisEth", { authData });
    expect(server.requests[0]).toMatchObject({
      call: "POST users",
      body: { authData: { moralisEth: authData } },
    });
    expect(server.requests[0]?.body).not.toHaveProperty("_SessionToken");
    expect(user.get("sessionToken")).toBe("r:1");
    expect(User.current()).toBe(user);
  });

  it("stores no current user in Node unless it is enabled", async () => {
    reconfigure({ tracksCurrentUser: false });
    await User.logIn("ann", "secret");
    expect(User.current()).toBeNull();
    User.enableUnsafeCurrentUser();
    await User.logIn("ann", "secret");
    expect(User.current()?.id).toBe("u1");
  });
});

describe("the current user", () => {
  beforeEach(async () => {
    await User.logIn("ann", "secret");
    server.requests.length = 0;
  });

  it("is restored when the page is reloaded", () => {
    resetIdentities();
    expect(User.current()).toMatchObject({ id: "u1" });
    expect(User.current()?.getUsername()).toBe("ann");
    expect(User.current()).toBe(User.current());
  });

  it("keeps a linked identity", {
    tags: ["4.current-user.cached-after-link", "4.current-user.persisted-after-link"],
  }, async () => {
    const user = User.current();
    server.respondWith(() => ({ body: {} }));
    await user?.linkWith("moralisEth", { authData: { id: "0xabc" } });
    expect(server.requests[0]).toMatchObject({
      call: "PUT classes/_User/u1",
      body: { _SessionToken: "r:1" },
    });
    expect(User.current()).toBe(user);
    expect(await stored()).toMatchObject({ authData: { moralisEth: { id: "0xabc" } }, sessionToken: "r:1" });
  });

  it("unlinks an identity with null", async () => {
    server.respondWith(() => ({ body: {} }));
    await User.current()?.linkWith("moralisEth", { authData: { id: "0xabc" } });
    await User.current()?._unlinkFrom("moralisEth");
    expect(server.requests[1]?.body.authData).toEqual({ moralisEth: null });
    expect(User.current()?._isLinked("moralisEth")).toBe(false);
  });

  it("is stored again after its saves and fetches", async () => {
    server.respondWith(() => ({ body: {} }));
    await User.current()?.save({ nickname: "A" });
    expect(await stored()).toMatchObject({ nickname: "A", sessionToken: "r:1" });
    server.respondWith(() => ({ body: { objectId: "u1", nickname: "B" } }));
    await User.current()?.fetch();
    expect(await stored()).toMatchObject({ nickname: "B", sessionToken: "r:1" });
  });

  it("is cleared by a logout that succeeds", {
    tags: ["4.current-user.cleared-on-logout"],
  }, async () => {
    await User.logOut();
    expect(server.requests[0]).toMatchObject({ call: "POST logout", body: { _SessionToken: "r:1" } });
    expect(User.current()).toBeNull();
    expect(await stored()).toBeNull();
  });

  it("is kept when the logout fails", async () => {
    server.respondWith(() => ({ status: 400, body: { code: 1, error: "down" } }));
    await expect(User.logOut()).rejects.toThrow("down");
    expect(User.current()?.id).toBe("u1");
    expect(await stored()).toMatchObject({ objectId: "u1" });
  });

  it("is cleared when it is deleted", { tags: ["4.current-user.cleared-on-destroy"] }, async () => {
    server.respondWith(() => ({ body: {} }));
    await User.current()?.destroy();
    expect(User.current()).toBeNull();
    expect(await stored()).toBeNull();
  });

  it("is reported to listeners on logout, after the beforeLogOut() hooks", async () => {
    const events: string[] = [];
    const stops = [
      beforeLogOut(() => void events.push("hook")),
      onCurrentUser(() => void events.push("change")),
    ];
    await User.logOut();
    expect(events).toEqual(["hook", "change"]);
    for (const stop of stops) stop();
  });

  it("has a read-only session token", () => {
    expect(() => User.current()?.set("sessionToken", "r:2")).toThrow(
      "Cannot modify readonly attribute: sessionToken",
    );
  });
});

describe("an asynchronous storage", () => {
  it("requires currentAsync() for the current user", async () => {
    const storage = slowStorage();
    server.connect({ storage });
    await User.logIn("ann", "secret");
    resetIdentities();
    expect(() => User.current()).toThrow("async storage");
    expect((await User.currentAsync())?.id).toBe("u1");
  });
});

describe("sessions", () => {
  it("are requested from sessions/me for the current one", async () => {
    server.respondWith(() => ({ body: { objectId: "s1", sessionToken: "r:1" } }));
    expect((await Session.current()).getSessionToken()).toBe("r:1");
    expect(server.requests[0]?.call).toBe("GET sessions/me");
  });

  it("accept custom fields, but none of the server's", () => {
    expect(new Session({ device: "kitchen" }).get("device")).toBe("kitchen");
    expect(() => new Session({ sessionToken: "r:2" })).toThrow(
      "Cannot modify readonly attribute: sessionToken",
    );
  });

  it("cannot be upgraded without a session token", {
    tags: ["8.backend.upgrade-without-session-token"],
  }, async () => {
    const failure = { code: 206, message: "Cannot upgrade a user with no session token" };
    await expect(new User()._upgradeToRevocableSession()).rejects.toMatchObject(failure);
  });
});

describe("roles", () => {
  it("reject a name that is not a string", { tags: ["5.role.name-string"] }, () => {
    expect(() => new Role(JSON.parse("5"), new ACL())).toThrow("A role's name must be a String.");
  });

  it("reject characters other than letters, digits, underscore, hyphen and space", {
    tags: ["5.role.name-characters"],
  }, () => {
    expect(() => new Role("a/b", new ACL())).toThrow(
      "A role's name can be only contain alphanumeric characters, _, -, and spaces.",
    );
    expect(new Role("Team a_b-1", new ACL()).getName()).toBe("Team a_b-1");
  });

  it("can be renamed before the first save, but not after it", {
    tags: ["5.role.name-before-first-save"],
  }, async () => {
    const role = new Role("a", new ACL());
    role.setName("b");
    await role.save();
    await expect(role.save({ name: "c" })).rejects.toThrow(
      "A role's name can only be set before it has been saved.",
    );
    expect(role.setName("c")).toBe(false);
    expect(role.getName()).toBe("b");
  });

  it("are decoded as instances of Role", () => {
    expect(ParseObject.fromJSON({ className: "_Role", objectId: "r1", name: "a" })).toBeInstanceOf(Role);
  });
});

import { createServer, type Server } from "node:http";
import { start, User } from "@purse/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Auth, type AuthState } from "./auth.ts";

/** A server with the responses of a test, by path. */
const answers = new Map<string, { status: number; body: object }>();
let server: Server;
let auth: Auth;
let states: AuthState[];

const ACCOUNT = {
  objectId: "u1",
  username: "ada",
  sessionToken: "r:1",
  createdAt: "2026-01-01T00:00:00.000Z",
};

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const { status, body } = answers.get(request.url ?? "") ?? { status: 200, body: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await start({ serverUrl: `http://127.0.0.1:${port}`, appId: "app", plugins: [] });
  User.enableUnsafeCurrentUser();
});
afterAll(() => void server.close());
beforeEach(async () => {
  answers.clear();
  await User.logOut();
  answers.set("/login", { status: 200, body: ACCOUNT });
  answers.set("/users", { status: 201, body: ACCOUNT });
  auth = new Auth();
  states = [];
  auth.store.subscribe(() => {
    const { state } = auth.store.get();
    if (states.at(-1) !== state) states.push(state);
  });
});

const logIn = () => auth.login("ada", "secret");
const refuse = (path: string, code: number, error: string) =>
  answers.set(path, { status: 400, body: { code, error } });

describe("the initial authentication state", () => {
  it("is undefined", { tags: ["4.auth.state.undefined"] }, () => {
    expect(auth.store.get().state).toBe("undefined");
  });

  it("becomes unauthenticated if no user is stored", {
    tags: ["4.auth.load.no-user", "4.auth.state.unauthenticated"],
  }, async () => {
    await auth.restore();
    expect(auth.store.get()).toMatchObject({ state: "unauthenticated", user: null });
  });

  it("becomes authenticated if a user is stored", {
    tags: ["4.auth.load.stored-user", "4.auth.state.authenticated"],
  }, async () => {
    await User.logIn("ada", "secret");
    await auth.restore();
    expect(auth.store.get()).toMatchObject({ state: "authenticated", user: { id: "u1" } });
  });
});

describe("signing in and signing up", () => {
  it("changes the state to authenticating and authenticated for a login", {
    tags: ["4.auth.login.start", "4.auth.login.success", "4.auth.state.authenticating"],
  }, async () => {
    expect((await logIn())?.id).toBe("u1");
    expect(states).toEqual(["authenticating", "authenticated"]);
  });

  it("changes the state to error if the login is rejected", {
    tags: ["4.auth.login.failure", "4.auth.state.error"],
  }, async () => {
    refuse("/login", 101, "Invalid username/password.");
    const errors: unknown[] = [];
    expect(await auth.login("ada", "wrong", { onError: (error) => errors.push(error) })).toBeUndefined();
    expect(states).toEqual(["authenticating", "error"]);
    expect(errors).toMatchObject([{ code: 101 }]);
    expect(auth.store.get().error).toBe(errors[0]);
  });

  it("changes the state to authenticating and authenticated for a sign-up", {
    tags: ["4.auth.signup.start", "4.auth.signup.success"],
  }, async () => {
    await auth.signup("ada", "secret", "ada@example.org");
    expect(states).toEqual(["authenticating", "authenticated"]);
  });

  describe("with an account that has no session before its email address is verified", () => {
    const { sessionToken: _, ...unverified } = ACCOUNT;

    it("succeeds and leaves the state unauthenticated", async () => {
      answers.set("/users", { status: 201, body: unverified });
      const succeeded: unknown[] = [];
      const user = await auth.signup(
        "ada",
        "secret",
        "ada@example.org",
        {},
        {
          onSuccess: (created) => succeeded.push(created.id),
        },
      );
      expect([user?.id, user?.getSessionToken(), succeeded]).toEqual(["u1", undefined, ["u1"]]);
      expect(states).toEqual(["authenticating", "unauthenticated"]);
      expect(auth.store.get()).toMatchObject({ user: null, error: null });
    });

    it("keeps the user who was signed in before", async () => {
      await logIn();
      const before = auth.store.get().user;
      answers.set("/users", { status: 201, body: { ...unverified, objectId: "u2" } });
      await auth.signup("bob", "secret", "bob@example.org");
      expect(auth.store.get()).toMatchObject({ state: "authenticated", user: before });
    });
  });

  it("changes the state to error if the sign-up is rejected", {
    tags: ["4.auth.signup.failure"],
  }, async () => {
    refuse("/users", 202, "Account already exists for this username.");
    await auth.signup("ada", "secret");
    expect(states).toEqual(["authenticating", "error"]);
  });

  it("changes the state to error if there is no wallet", {
    tags: ["4.auth.authenticate.start", "4.auth.authenticate.failure"],
  }, async () => {
    await auth.authenticate();
    expect(states).toEqual(["authenticating", "error"]);
    expect(auth.store.get().error).toMatchObject({ message: "Non ethereum enabled browser" });
  });

  it("calls onError before onComplete, and rejects with throwOnError", async () => {
    refuse("/login", 101, "no");
    const calls: string[] = [];
    const callbacks = {
      onError: () => calls.push("error"),
      onComplete: () => calls.push("complete"),
      throwOnError: true,
    };
    await expect(auth.login("ada", "x", callbacks)).rejects.toMatchObject({ code: 101 });
    expect(calls).toEqual(["error", "complete"]);
  });
});

describe("logging out", () => {
  it("changes the state to unauthenticated", {
    tags: ["4.auth.logout.success", "4.auth.logout.start", "4.auth.state.logging-out"],
  }, async () => {
    await logIn();
    states.length = 0;
    await auth.logout();
    expect(states).toEqual(["authenticating", "logging_out", "unauthenticated"]);
    expect(auth.store.get().user).toBeNull();
  });

  it("keeps the user if the server rejects the logout", {
    tags: ["4.auth.logout.failure", "4.auth.logout.failure-keeps-user"],
  }, async () => {
    await logIn();
    refuse("/logout", 1, "no");
    await auth.logout();
    expect(auth.store.get()).toMatchObject({ state: "error", user: { id: "u1" } });
    expect(User.current()?.id).toBe("u1");
  });
});

describe("the user's data", () => {
  it("can be set only if a user is signed in", {
    tags: ["5.user.update-requires-authentication", "6.user-data.set-requires-authentication"],
  }, async () => {
    await expect(auth.setUserData({ a: 1 })).rejects.toThrow(
      "User needs to be authenticated before setting new data",
    );
  });

  it("can be fetched again only if a user is signed in", {
    tags: ["6.user-data.refetch-requires-authentication"],
  }, async () => {
    await expect(auth.refetchUserData()).rejects.toThrow("User needs to be authenticated before refetching");
  });

  it.each([
    ["password", { password: 1 }, "password can only be a string type"],
    ["email", { email: {} }, "email can only be a string type"],
    ["username", { username: null }, "username can only be a string type"],
  ])(
    "can be set only if %s is a string",
    { tags: ["5.user.password-string", "5.user.email-string", "5.user.username-string"] },
    async (_name, data, message) => {
      await logIn();
      await expect(auth.setUserData(data)).rejects.toThrow(message);
    },
  );

  it("are reset if the save fails, with the error in userError", async () => {
    await logIn();
    refuse("/classes/_User/u1", 203, "Account already exists for this email address.");
    await auth.setUserData({ email: "taken@example.org" });
    const { user, userError, isUserUpdating } = auth.store.get();
    expect(user?.get("email")).toBeUndefined();
    expect(userError).toMatchObject({ code: 203 });
    expect(isUserUpdating).toBe(false);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

const account = devAccount(9);
const address = account.address.toLowerCase();
/** The index of the latest account; higher ones have never signed in. */
let newest = 9;

interface ProofChange {
  data?: (text: string) => string;
  /** In ms from now. */
  time?: number;
  appId?: string;
  signer?: typeof account;
}

async function proof(change: ProofChange = {}) {
  const { signer = account } = change;
  const time = new Date(Date.now() + (change.time ?? 0)).toISOString();
  const text = `Moralis Authentication\n\nId: ${change.appId ?? purse.appId}:${time}`;
  const data = change.data?.(text) ?? text;
  return { id: signer.address.toLowerCase(), signature: await signer.signMessage({ message: data }), data };
}

const signInWith = (moralisEth: unknown) => rest(purse, "POST", "/users", { authData: { moralisEth } });

describe("wallet sign-in", () => {
  it("creates one user for concurrent requests of the same wallet", async () => {
    newest += 1;
    const signer = devAccount(newest);
    // Seconds apart, because two messages with the same time have the same signature, which is accepted once.
    const proofs = await Promise.all(
      Array.from({ length: 8 }, (_, i) => proof({ signer, time: -i * 1_000 })),
    );
    const replies = await Promise.all(proofs.map(signInWith));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(1);
  });

  it("accepts each signature once, also in concurrent requests", async () => {
    await signInWith(await proof({ time: -60_000 }));
    const once = await proof();
    const replies = await Promise.all([signInWith(once), signInWith(once)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await signInWith(once)).body.error).toContain("used already");
  });

  it.each([
    ["for another application", { appId: "other" }],
    ["with a time in the future", { time: 60_000 }],
    ["that has expired", { time: -10 * 60_000 }],
    ["with another Id line before", { data: (text: string) => `Id: test-app:x\n${text}` }],
    ["with lines after the Id line", { data: (text: string) => `${text}\nand more` }],
    ["with a carriage return", { data: (text: string) => text.replace("\n", "\r") }],
    ["without an Id line", { data: () => "Moralis Authentication" }],
  ])("rejects a message %s", async (_name, change) => {
    expect(await signInWith(await proof(change))).toMatchObject({ status: 404, body: { code: 101 } });
  });

  it("rejects a signature for another address and malformed signatures", async () => {
    const validProof = await proof();
    expect((await signInWith({ ...validProof, id: `0x${"1".repeat(40)}` })).body.code).toBe(101);
    expect((await signInWith({ ...validProof, signature: "0x00" })).body.code).toBe(101);
    expect((await signInWith({ ...validProof, signature: { $ne: null } })).body.code).toBe(101);
    expect((await signInWith({ ...validProof, id: { $gt: "" } })).body.code).toBe(101);
    const [r, s, v] = [
      validProof.signature.slice(2, 66),
      BigInt(`0x${validProof.signature.slice(66, 130)}`),
      validProof.signature.slice(130),
    ];
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const malleated = `0x${r}${(order - s).toString(16).padStart(64, "0")}${v === "1b" ? "1c" : "1b"}`;
    expect((await signInWith({ ...validProof, signature: malleated })).body.code).toBe(101);
  });

  it("ignores wallet addresses that clients set on their user", async () => {
    const user = await signUp(purse);
    const fields = { accounts: { __op: "AddUnique", objects: [address] }, ethAddress: address };
    const saved = await rest(purse, "PUT", `/classes/_User/${user.id}`, fields, user);
    expect(saved.body.accounts).toEqual([]);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).body).not.toHaveProperty("ethAddress");
  });

  it("lets only the server create address records and only the owner read them", async () => {
    const user = await signUp(purse);
    const made = await rest(purse, "POST", "/classes/_EthAddress", { user: 1 }, user);
    expect(made.body.code).toBe(119);
    const where = { objectId: address };
    const seen = await rest(purse, "GET", `/classes/_EthAddress${query({ where })}`, undefined, user);
    expect(seen.body.results).toEqual([]);
  });
});

describe("usernames and passwords", () => {
  it("a username in any spelling is given to one of several concurrent sign-ups", {
    tags: ["8.code.202"],
  }, async () => {
    const names = ["Zoë", "zoë", "ZOË", "Zoe\u0308"];
    const replies = await Promise.all(
      names.map((username) => rest(purse, "POST", "/users", { username, password: "p" })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect(replies.filter(({ body }) => body.code === 202)).toHaveLength(3);
  });

  it("an email address is given to one user only", { tags: ["8.code.203"] }, async () => {
    await signUp(purse, { email: "one@example.org" });
    const fields = { username: "another", password: "p", email: "ONE@example.org" };
    expect((await rest(purse, "POST", "/users", fields)).body.code).toBe(203);
  });

  it.each([
    ["no username", { password: "p" }, 200],
    ["no password", { username: "n1" }, 201],
    ["an empty username", { username: "", password: "p" }, 200],
    ["a line break in the username", { username: "ada\nBcc: eve", password: "p" }, 200],
    ["a line separator in the username", { username: "ada\u2028eve", password: "p" }, 200],
    ["a control character in the username", { username: "ada\u0007", password: "p" }, 200],
    ["an operator as username", { username: { $ne: 1 }, password: "p" }, 121],
    ["a bad e-mail address", { username: "n2", password: "p", email: "nowhere" }, 125],
    ["an unknown provider", { authData: { facebook: { id: "1" } } }, 252],
  ])(
    "a sign-up with %s is rejected",
    { tags: ["8.code.200", "8.code.201", "8.code.125"] },
    async (_name, fields, code) => {
      expect((await rest(purse, "POST", "/users", fields)).body.code).toBe(code);
    },
  );

  it("a user cannot take a name with a line break, and keeps one of earlier days", async () => {
    const user = await signUp(purse);
    const change = (fields: object, credentials: object) =>
      rest(purse, "PUT", `/users/${user.id}`, fields, credentials);
    const named = (username: string) => ({ username: `${username} ${user.id}` });
    expect((await change(named("ada\neve"), user)).body.code).toBe(200);
    expect((await change(named("old\nname"), { useMasterKey: true })).status).toBe(200);
    expect((await change({ ...named("old\nname"), color: "red" }, user)).status).toBe(200);
    expect((await change(named("ada"), user)).status).toBe(200);
  });

  it("a login rejects query operators and does not reveal whether a username exists", async () => {
    const { username } = await signUp(purse);
    const operator = await rest(purse, "POST", "/login", { username, password: { $ne: "" } });
    const wrong = await rest(purse, "POST", "/login", { username, password: "wrong" });
    const unknown = await rest(purse, "POST", "/login", { username: "nobody-at-all", password: "wrong" });
    expect(operator.body.code).toBe(101);
    expect(unknown.body).toEqual(wrong.body);
  });

  it("passwords are never returned, and email addresses only to their owner", {
    tags: ["3.user.password", "3.user.email", "3.user.auth-data"],
  }, async () => {
    const user = await signUp(purse, { email: "private@example.org" });
    const other = await signUp(purse);
    const mine = await rest(purse, "GET", `/users/${user.id}`, undefined, user);
    const theirs = await rest(purse, "GET", `/users/${user.id}`, undefined, other);
    expect(mine.body.email).toBe("private@example.org");
    expect(theirs.body).not.toHaveProperty("email");
    expect(JSON.stringify(await rest(purse, "GET", "/users", undefined, { useMasterKey: true }))).not.toMatch(
      /argon2|password/i,
    );
    const messageReply = await rest(
      purse,
      "GET",
      `/users${query({ where: { email: { $regex: "^p" } } })}`,
      undefined,
      other,
    );
    expect(messageReply.body.code).toBe(119);
  });

  it("a user cannot be written without a session, even if its ACL is public", {
    tags: ["8.code.206"],
  }, async () => {
    const user = await signUp(purse, { ACL: { "*": { read: true, write: true } } });
    for (const path of [`/classes/_User/${user.id}`, `/users/${user.id}`, "/users/nobody"]) {
      expect((await rest(purse, "PUT", path, { a: 1 })).body.code).toBe(206);
      expect((await rest(purse, "DELETE", path)).body.code).toBe(206);
    }
  });

  it("a user cannot be written by another user without permission in its ACL", {
    tags: ["8.code.206"],
  }, async () => {
    const [user, other] = [await signUp(purse), await signUp(purse)];
    for (const path of [`/classes/_User/${user.id}`, `/users/${user.id}`, "/users/nobody"]) {
      const update = await rest(purse, "PUT", path, { a: 1 }, other);
      expect(update.body).toEqual({ code: 206, error: "Insufficient auth." });
      const deletion = await rest(purse, "DELETE", path, undefined, other);
      expect(deletion.body).toEqual({ code: 206, error: "Insufficient auth." });
    }
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
  });
});

describe("sessions", () => {
  it("have a token that only their own user receives", {
    tags: ["3.user.session-token", "3.session.session-token", "7.current-session"],
  }, async () => {
    const user = await signUp(purse);
    expect(user.sessionToken).toMatch(/^r:[0-9a-f]{32}$/);
    const { body } = await rest(purse, "GET", "/sessions/me", undefined, user);
    expect(body).toMatchObject({ sessionToken: user.sessionToken, restricted: false });
    const all = await rest(purse, "GET", "/classes/_Session", undefined, { useMasterKey: true });
    expect(JSON.stringify(all.body)).not.toContain(user.sessionToken);
  });

  it("end immediately at logout, which returns 200 for an ended session too", async () => {
    const user = await signUp(purse);
    await rest(purse, "GET", "/users/me", undefined, user);
    expect((await rest(purse, "POST", "/logout", {}, user)).status).toBe(200);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).body.code).toBe(209);
    expect((await rest(purse, "POST", "/logout", {}, user)).status).toBe(200);
  });

  it("of other devices end when the password changes", async () => {
    const user = await signUp(purse);
    const second = await rest(purse, "POST", "/login", {
      username: user.username,
      password: "correct horse",
    });
    const stolen = { sessionToken: String(second.body.sessionToken) };
    expect((await rest(purse, "GET", "/users/me", undefined, stolen)).status).toBe(200);
    await rest(purse, "PUT", `/classes/_User/${user.id}`, { password: "another one" }, user);
    expect((await rest(purse, "GET", "/users/me", undefined, stolen)).body.code).toBe(209);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
    expect(
      (await rest(purse, "POST", "/login", { username: user.username, password: "correct horse" })).body.code,
    ).toBe(101);
  });

  it.each([
    ["sessionToken", "r:mine"],
    ["expiresAt", { __type: "Date", iso: "2099-01-01T00:00:00.000Z" }],
    ["user", { __type: "Pointer", className: "_User", objectId: "other" }],
    ["createdWith", { action: "x" }],
  ])("have read-only fields: %s", async (field, value) => {
    const user = await signUp(purse);
    const session = await rest(purse, "GET", "/sessions/me", undefined, user);
    const path = `/classes/_Session/${session.body.objectId}`;
    expect((await rest(purse, "PUT", path, { [field]: value }, user)).body.code).toBe(105);
    const { body } = await rest(purse, "POST", "/classes/_Session", { [field]: value }, user);
    // A new session belongs to the caller, whatever user the request names.
    if (field === "user") expect(body.user).toMatchObject({ objectId: user.id });
    else expect(body.code).toBe(105);
  });

  it("are hidden from other users and deleted with their user", async () => {
    const user = await signUp(purse);
    const other = await signUp(purse);
    const { body } = await rest(purse, "GET", "/classes/_Session", undefined, other);
    expect(body.results).toHaveLength(1);
    expect((await rest(purse, "DELETE", `/users/${user.id}`, undefined, user)).status).toBe(200);
    expect((await rest(purse, "GET", "/users/me", undefined, user)).body.code).toBe(209);
    const again = await rest(purse, "POST", "/users", { username: user.username, password: "p" });
    expect(again.status).toBe(201);
  });
});

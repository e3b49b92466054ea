import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { devAccount } from "../support/devAccount.ts";
import { type Answer, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
/** The address of another account. */
const VICTIM = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** A beforeSave trigger that records the fields it receives and sets addresses on request. */
const CLOUD = `
Parse.Cloud.beforeSave("_User", ({ object }) => {
  const { accounts = null, ethAddress = null, emailVerified = null } = object.attributes;
  object.set("seen", JSON.stringify({ accounts, ethAddress, emailVerified }));
  const plant = object.get("plant");
  if (plant === "whole") object.set("accounts", ["${VICTIM}"]).set("ethAddress", "${VICTIM}");
  if (plant === "dotted") object.set("accounts.0", "${VICTIM}");
  if (plant === "acl") object.set("ACL." + (object.id ?? "someone") + ".write", false);
});
Parse.Cloud.beforeSave("Acl", ({ object }) => {
  if (object.get("plant")) object.set(object.get("plant"), { read: true });
});
`;

/** Ways to write a value to a field. */
const SPELLINGS: [string, (field: string, value: JsonValue) => JsonObject][] = [
  ["as a whole", (field, value) => ({ [field]: value })],
  ["in an array", (field, value) => ({ [field]: [value] })],
  ["as JSON text", (field, value) => ({ [field]: JSON.stringify([value]) })],
  ["at a position", (field, value) => ({ [`${field}.0`]: value })],
  ["at a later position", (field, value) => ({ [`${field}.7`]: value })],
  ["by a key", (field, value) => ({ [`${field}.action`]: value })],
  ["by a deep key", (field, value) => ({ [`${field}.a.b.c`]: value })],
  ["by the key of its type", (field, value) => ({ [`${field}.__type`]: value })],
  ["by Add", (field, value) => ({ [field]: { __op: "Add", objects: [value] } })],
  ["by AddUnique", (field, value) => ({ [field]: { __op: "AddUnique", objects: [value] } })],
  ["by Remove", (field, value) => ({ [field]: { __op: "Remove", objects: [value] } })],
  ["by Delete", (field) => ({ [field]: { __op: "Delete" } })],
  ["by Delete of a position", (field) => ({ [`${field}.0`]: { __op: "Delete" } })],
  ["by Increment", (field) => ({ [field]: { __op: "Increment", amount: 1 } })],
  ["by Increment of a key", (field) => ({ [`${field}.n`]: { __op: "Increment", amount: 1 } })],
  ["by SetOnInsert", (field, value) => ({ [field]: { __op: "SetOnInsert", amount: value } })],
  ["by Batch", (field, value) => ({ [field]: { __op: "Batch", ops: [{ __op: "Add", objects: [value] }] } })],
  ["by AddRelation", (field) => ({ [field]: { __op: "AddRelation", objects: [userPointer("x")] } })],
  ["as null", (field) => ({ [field]: null })],
];

const OPERATIONS = ["Add", "AddUnique", "Remove", "Increment", "SetOnInsert", "Batch", "AddRelation"];

/** What is attacked with all spellings: with `npm test`, each of them on one of these. */
const ATTACKED = ["an update of a user", "a sign-up", "an update of a session"] as const;

const spellingsFor = (attacked: (typeof ATTACKED)[number]) =>
  casesOf(SPELLINGS, (_, i) => ATTACKED[i % ATTACKED.length] === attacked);

function userPointer(objectId: string): JsonObject {
  return { __type: "Pointer", className: "_User", objectId };
}

describe.each(DATABASES)("fields that the server derives, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-derived-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: { ...(await databaseEnv(database)), PURSE_CLOUD: join(folder, "cloud.mjs") },
    });
  });
  afterAll(() => purse.remove());

  const stored = async (className: string, id: string): Promise<JsonObject> =>
    (await rest(purse, "GET", `/classes/${className}/${id}`, undefined, MASTER)).body;

  const batch = async (
    method: string,
    path: string,
    body: JsonObject,
    sessionToken: string,
  ): Promise<Answer> =>
    rest(purse, "POST", "/batch", { requests: [{ method, path: `/server${path}`, body }] }, { sessionToken });

  async function signInByWallet(
    index: number,
  ): Promise<{ id: string; sessionToken: string; address: string }> {
    // The first of them is the victim.
    const account = devAccount(1 + index);
    const data = `Moralis Authentication\n\nId: ${purse.appId}:${new Date().toISOString()}`;
    const proof = {
      id: account.address.toLowerCase(),
      signature: await account.signMessage({ message: data }),
      data,
    };
    const { status, body } = await rest(purse, "POST", "/users", { authData: { moralisEth: proof } });
    expect(status).toBe(201);
    return {
      id: String(body.objectId),
      sessionToken: String(body.sessionToken),
      address: account.address.toLowerCase(),
    };
  }

  describe("of a user", () => {
    const FIELDS: [string, JsonValue][] = [
      ["accounts", VICTIM],
      ["ethAddress", VICTIM],
      ["emailVerified", true],
      ["sessionToken", "r:planted"],
      ["passwordHash", "planted"],
      ["authData", { anonymous: { id: "planted" } }],
    ];

    it.each(spellingsFor("an update of a user"))(
      "are not changed by an update that sets them %s",
      async (_spelling, fieldsOf) => {
        const byPassword = { ...(await signUp(purse)), address: undefined };
        const walletUser = await signInByWallet(SPELLINGS.findIndex(([, each]) => each === fieldsOf));
        for (const { id, sessionToken, address } of [byPassword, walletUser]) {
          for (const [field, value] of FIELDS) {
            const fields = fieldsOf(field, value);
            const updated = await rest(purse, "PUT", `/users/${id}`, fields, { sessionToken });
            const batched = await batch("PUT", `/classes/_User/${id}`, fields, sessionToken);
            const named = Object.keys(fields)[0] ?? "";
            if (named.includes(".")) expect([named, updated.body.code]).toEqual([named, 105]);
            expect([named, updated.status < 500, batched.status]).toEqual([named, true, 200]);
            const { accounts = [], ethAddress, emailVerified = false, ...user } = await stored("_User", id);
            expect([named, accounts, ethAddress, emailVerified]).toEqual([
              named,
              address === undefined ? [] : [address],
              address,
              false,
            ]);
            for (const secret of ["sessionToken", "passwordHash", "authData"]) {
              expect([named, user[secret]]).toEqual([named, undefined]);
            }
          }
        }
        const where = { $or: [{ accounts: VICTIM }, { "accounts.0": VICTIM }, { ethAddress: VICTIM }] };
        const { body } = await rest(purse, "GET", `/users${query({ where })}`, undefined, MASTER);
        expect(body.results).toEqual([]);
      },
    );

    it.each(spellingsFor("a sign-up"))(
      "are not set on a new user by a sign-up that sends them %s",
      async (spelling, fieldsOf) => {
        for (const [field, value] of FIELDS.filter(([name]) => name !== "authData")) {
          const username = `new-${spelling}-${field}`;
          const sent = { username, password: "correct horse", ...fieldsOf(field, value) };
          const { status, body } = await rest(purse, "POST", "/users", sent);
          expect(status).toBeLessThan(500);
          if (status !== 201) continue;
          expect(body).not.toHaveProperty(["accounts"]);
          const { emailVerified = false, ...user } = await stored("_User", String(body.objectId));
          expect(emailVerified).toBe(false);
          for (const name of ["accounts", "ethAddress", "sessionToken", "passwordHash"]) {
            expect([spelling, field, user[name]]).toEqual([spelling, field, undefined]);
          }
        }
      },
    );

    it("are passed to triggers with their verified values, whatever the client sends", async () => {
      const planted = { accounts: [VICTIM], ethAddress: VICTIM };
      const { id, sessionToken } = await signUp(purse, { ...planted });
      expect(JSON.parse(String((await stored("_User", id)).seen))).toMatchObject({
        accounts: null,
        ethAddress: null,
      });
      await rest(purse, "PUT", `/users/${id}`, planted, { sessionToken });
      const seen = JSON.parse(String((await stored("_User", id)).seen));
      expect([seen.accounts ?? [], seen.ethAddress]).toEqual([[], null]);
      const wallet = await signInByWallet(101);
      await rest(purse, "PUT", `/users/${wallet.id}`, planted, { sessionToken: wallet.sessionToken });
      expect(JSON.parse(String((await stored("_User", wallet.id)).seen))).toMatchObject({
        accounts: [wallet.address],
        ethAddress: wallet.address,
      });
    });

    it.each(["whole", "dotted", "acl"])(
      "are not changed by a trigger that sets them (%s)",
      async (planted) => {
        const { status, body } = await rest(purse, "POST", "/users", {
          username: `trigger-${planted}`,
          password: "correct horse",
          plant: planted,
        });
        expect([status, body.code]).toEqual(planted === "whole" ? [201, undefined] : [400, 105]);
        const { id, sessionToken } = await signUp(purse);
        const update = await rest(purse, "PUT", `/users/${id}`, { plant: planted }, { sessionToken });
        expect([update.status, update.body.code]).toEqual(
          planted === "whole" ? [200, undefined] : [400, 105],
        );
        const { accounts = [], ethAddress, ACL } = await stored("_User", id);
        expect([accounts, ethAddress, Object(ACL)[id]]).toEqual([[], undefined, { read: true, write: true }]);
      },
    );

    it("reset emailVerified when the email address changes", async () => {
      const { id, sessionToken } = await signUp(purse, { email: `${database}-old@example.com` });
      await rest(purse, "PUT", `/users/${id}`, { emailVerified: true }, MASTER);
      await rest(purse, "PUT", `/users/${id}`, { email: `${database}-new@example.com` }, { sessionToken });
      expect((await stored("_User", id)).emailVerified).toBe(false);
    });
  });

  describe("of a session", () => {
    const FIELDS: [string, JsonValue][] = [
      ["createdWith", "planted"],
      ["restricted", true],
      ["expiresAt", { __type: "Date", iso: "2999-01-01T00:00:00.000Z" }],
      ["user", userPointer("planted")],
      ["sessionToken", "r:planted"],
      ["installationId", "planted"],
      ["userAgent", "planted"],
      ["lastUsedAt", { __type: "Date", iso: "2999-01-01T00:00:00.000Z" }],
      ["ACL", { "*": { read: true, write: true } }],
    ];

    it.each(spellingsFor("an update of a session"))(
      "are not changed by an update that sets them %s",
      async (_spelling, fieldsOf) => {
        const { sessionToken } = await signUp(purse);
        const { body: session } = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken });
        const id = String(session.objectId);
        const before = await stored("_Session", id);
        for (const [field, value] of FIELDS) {
          const fields = fieldsOf(field, value);
          const [named = ""] = Object.keys(fields);
          for (const path of ["/sessions/me", `/sessions/${id}`, `/classes/_Session/${id}`]) {
            const { status, body } = await rest(purse, "PUT", path, fields, { sessionToken });
            if (named.includes(".")) expect([path, named, body.code]).toEqual([path, named, 105]);
            expect(status).toBeLessThan(500);
          }
          await batch("PUT", `/sessions/${id}`, fields, sessionToken);
          const { updatedAt: _, ...after } = await stored("_Session", id);
          const { updatedAt: _before, ...expected } = before;
          expect([named, after]).toEqual([named, expected]);
        }
      },
    );
  });

  describe("of an ACL", () => {
    const KEYS = ["ACL.B.read", "ACL.B", "ACL.*.read", "ACL.x.y.z", "ACL.role:a.write", "ACL.B.write.more"];

    it.each(casesOf(KEYS, (_, i) => i % 2 === 0))(
      "are rejected with 105 by the dotted key %s and stay unchanged",
      async (key) => {
        const a = await signUp(purse);
        const b = await signUp(purse);
        const dotted = key.replace("B", b.id);
        const ACL = { [a.id]: { read: true, write: true }, [b.id]: { read: true } };
        const { body } = await rest(purse, "POST", "/classes/Acl", { n: 1, ACL }, a);
        const path = `/classes/Acl/${body.objectId}`;
        const values: JsonValue[] = [
          false,
          true,
          "text",
          1,
          { read: true },
          { __op: "Delete" },
          { __op: "Increment", amount: 1 },
        ];
        for (const value of values) {
          for (const credentials of [a, MASTER]) {
            const updated = await rest(purse, "PUT", path, { [dotted]: value }, credentials);
            expect([updated.status, updated.body.code]).toEqual([400, 105]);
            const made = await rest(purse, "POST", "/classes/Acl", { [dotted]: value }, credentials);
            expect([made.status, made.body.code]).toEqual([400, 105]);
          }
          expect((await batch("PUT", path, { [dotted]: value }, a.sessionToken)).body).toMatchObject([
            { error: { code: 105 } },
          ]);
        }
        expect((await stored("Acl", String(body.objectId))).ACL).toEqual(ACL);
        expect((await rest(purse, "GET", path, undefined, b)).status).toBe(200);
      },
    );

    it("are rejected with 105 if a trigger sets them by a dotted key", async () => {
      const { body } = await rest(purse, "POST", "/classes/Acl", { plant: "ACL.someone" });
      expect(body.code).toBe(105);
    });

    it.each(OPERATIONS)("reject the operation %s with 123 and stay unchanged", async (__op) => {
      const a = await signUp(purse);
      const ACL = { [a.id]: { read: true, write: true } };
      const { body } = await rest(purse, "POST", "/classes/Acl", { ACL }, a);
      const operation = { __op, objects: [], amount: 1, ops: [] };
      const updated = await rest(purse, "PUT", `/classes/Acl/${body.objectId}`, { ACL: operation }, a);
      expect([updated.status, updated.body.code]).toEqual([400, 123]);
      expect((await stored("Acl", String(body.objectId))).ACL).toEqual(ACL);
    });

    it("never lock users out of their own account", async () => {
      const { id, sessionToken } = await signUp(purse);
      const updates: JsonObject[] = [
        { [`ACL.${id}.write`]: false },
        { [`ACL.${id}`]: { read: false } },
        { ACL: { [id]: { read: false, write: false } } },
        { ACL: {} },
        { ACL: { __op: "Delete" } },
        { ACL: null },
      ];
      for (const fields of updates) await rest(purse, "PUT", `/users/${id}`, fields, { sessionToken });
      expect(Object((await stored("_User", id)).ACL)[id]).toEqual({ read: true, write: true });
      expect((await rest(purse, "PUT", `/users/${id}`, { mood: "fine" }, { sessionToken })).status).toBe(200);
    });
  });

  it.each(["objectId.x", "createdAt.iso", "updatedAt.iso"])(
    "reject the dotted key %s on a new object with 105",
    async (key) => {
      for (const credentials of [{}, MASTER]) {
        const { body } = await rest(purse, "POST", "/classes/Plain", { [key]: "x" }, credentials);
        expect([key, body.code]).toEqual([key, 105]);
      }
    },
  );
});

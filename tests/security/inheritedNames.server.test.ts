import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

/** Names that every object of JavaScript inherits, and that applications may give to what they define. */
const INHERITED = [
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "toLocaleString",
  "propertyIsEnumerable",
];
/** A name that nothing inherits, which PostgreSQL stores at the same place among the fields of an object. */
const plainNameFor = (name: string) => `${name.slice(0, -1)}x`;
const MASTER = { useMasterKey: true };
/** Triggers that remove what clients send. */
const CLOUD_CODE = INHERITED.flatMap((name) => [name, plainNameFor(name)])
  .map((name) => `Parse.Cloud.beforeSave("Cut${name}", ({ object }) => object.unset("${name}"));`)
  .join("\n");

/** Sends a request; returns what it was and its answer, without what differs from run to run. */
type Ask = (method: string, path: string, body?: JsonObject, key?: object) => Promise<JsonObject>;

/** What happens to a field with a name, from before its first value until after its removal. */
async function useField(ask: Ask, name: string): Promise<void> {
  const className = `Of${name}`;
  const path = `/classes/${className}`;
  const schema = `/schemas/${className}`;
  await ask("POST", path, { votes: 1 });
  const { objectId: id } = await ask("POST", path, { votes: 2 });
  const reads = async () => {
    await ask("GET", `${path}/${id}`);
    for (const params of [
      { order: `${name},votes` },
      { order: `-${name},-votes`, keys: name },
      { order: "votes", excludeKeys: name },
      { order: "votes", include: name },
      { where: { [name]: { $exists: true } } },
      { where: { [name]: { $exists: false } }, order: "votes" },
      { where: { [name]: "x" } },
      { where: { [name]: { $ne: "x" } }, order: "votes" },
      { where: { [`${name}.sub`]: 1 } },
      { where: { votes: { $select: { query: { className, where: {} }, key: name } } } },
      { where: { [name]: { $dontSelect: { query: { className, where: {} }, key: name } } }, order: "votes" },
      { where: { [name]: { $inQuery: { className, where: { votes: 1 } } } } },
      { where: { [name]: { $regex: "^x" } } },
      { where: { [name]: 1 }, count: 1, limit: 0 },
    ])
      await ask("GET", path + query(params));
    await ask("GET", `/aggregate/${className}${query({ distinct: name })}`, undefined, MASTER);
    for (const pipeline of [
      [{ $group: { _id: `$${name}`, n: { $sum: 1 } } }, { $sort: { n: 1, _id: 1 } }],
      [{ $match: { [name]: "x" } }, { $group: { _id: `$${name}`, top: { $max: "$votes" } } }],
      [{ $group: { _id: null, total: { $sum: `$${name}` } } }],
    ])
      await ask("GET", `/aggregate/${className}${query({ pipeline })}`, undefined, MASTER);
    await ask("GET", schema, undefined, MASTER);
    const read = `query ($objectId: ID!) { of${name}(id: $objectId) { votes ${name} } }`;
    await ask("POST", "/graphql", { query: read, variables: { objectId: id ?? null } });
  };
  await reads();
  await ask("PUT", `${path}/${id}`, { [name]: { __op: "Delete" } });
  await ask("PUT", `${path}/${id}`, { [name]: "x" });
  await ask("PUT", `${path}/${id}`, { [name]: { __op: "Increment", amount: 1 } });
  await ask("PUT", `${path}/${id}`, { [`${name}.sub`]: 1 });
  await ask("POST", path, { [name]: 5 });
  await reads();
  await ask("PUT", schema, { indexes: { by_it: { [name]: 1 }, [name]: { votes: 1 } } }, MASTER);
  await ask("GET", schema, undefined, MASTER);
  await ask("PUT", schema, { indexes: { by_it: { __op: "Delete" }, [name]: { __op: "Delete" } } }, MASTER);
  const open = { "*": true };
  const permissions = { get: open, find: open, count: open, create: open, update: open, addField: open };
  await ask(
    "PUT",
    schema,
    { classLevelPermissions: { ...permissions, protectedFields: { "*": [name] } } },
    MASTER,
  );
  await reads();
  await ask("PUT", schema, { classLevelPermissions: { ...permissions, readUserFields: [name] } }, MASTER);
  await ask("PUT", schema, { classLevelPermissions: permissions }, MASTER);
  await ask("PUT", schema, { fields: { [name]: { __op: "Delete" } } }, MASTER);
  await reads();
  await ask("PUT", schema, { fields: { [name]: { __op: "Delete" } } }, MASTER);
  await ask(
    "PUT",
    schema,
    { fields: { [name]: { type: "Number", defaultValue: 7, required: true } } },
    MASTER,
  );
  await ask("POST", path, { votes: 4 });
  await ask("PUT", `${path}/${id}`, { [name]: null });
  await reads();
}

/** A pointer, a relation and a list with a name. */
async function useReferences(ask: Ask, name: string): Promise<void> {
  const className = `Refer${name}`;
  const path = `/classes/${className}`;
  const { objectId: target } = await ask("POST", path, { votes: 1 });
  const pointer = { __type: "Pointer", className, objectId: target ?? null };
  const { objectId: id } = await ask("POST", path, { votes: 2, [name]: pointer });
  await ask("GET", `${path}/${id}${query({ include: name })}`);
  await ask("GET", `${path}/${id}${query({ include: `${name}.${name}` })}`);
  await ask("GET", `${path}/${id}${query({ include: name, keys: `${name}.votes` })}`);
  await ask("GET", path + query({ where: { [name]: { $inQuery: { className, where: { votes: 1 } } } } }));
  const other = `${className}Related`;
  await ask("POST", `/classes/${other}`, { [name]: { __op: "AddRelation", objects: [pointer] } });
  const { objectId: owner } = await ask("POST", `/classes/${other}`, {
    [name]: { __op: "AddRelation", objects: [pointer] },
  });
  const related = {
    $relatedTo: { object: { __type: "Pointer", className: other, objectId: owner ?? null }, key: name },
  };
  await ask("GET", path + query({ where: related }));
  await ask("GET", `/classes/${other}/${owner}`);
  const lists = `${className}Lists`;
  const { objectId: list } = await ask("POST", `/classes/${lists}`, {
    [name]: { __op: "AddUnique", objects: [1, 1, 2] },
  });
  await ask("PUT", `/classes/${lists}/${list}`, { [name]: { __op: "Remove", objects: [1] } });
  await ask("GET", `/classes/${lists}/${list}`);
  await ask("GET", `/classes/${lists}${query({ where: { [name]: { $all: [2] } } })}`);
}

/** A field that a trigger removes, of which the client learns. */
async function useTrigger(ask: Ask, name: string): Promise<void> {
  const path = `/classes/Cut${name}`;
  const { objectId: id } = await ask("POST", path, { [name]: "x", votes: 1 });
  await ask("PUT", `${path}/${id}`, { [name]: "y" });
  await ask("GET", `${path}/${id}`);
}

/** Everything else that applications give names to. */
async function useOtherNames(ask: Ask, name: string): Promise<void> {
  await ask("GET", `/classes/${name}`);
  await ask("GET", `/schemas/${name}`, undefined, MASTER);
  const { objectId: id } = await ask("POST", `/classes/${name}`, { votes: 1 });
  await ask("GET", `/classes/${name}/${id}`);
  await ask("GET", `/classes/${name}`);
  await ask("DELETE", `/classes/${name}/${id}`);
  await ask("DELETE", `/schemas/${name}`, undefined, MASTER);
  await ask("GET", `/classes/Any${query({ [name]: 1 })}`);
  await ask("POST", `/functions/${name}`, {});
  await ask("POST", `/jobs/${name}`, {}, MASTER);
  await ask("GET", `/hooks/functions/${name}`, undefined, MASTER);
  await ask("GET", `/hooks/triggers/${name}/beforeSave`, undefined, MASTER);
  await ask("GET", "/config");
  await ask("PUT", "/config", { params: { [name]: 1 } }, MASTER);
  await ask("GET", "/config");
  await ask("PUT", "/config", { params: { [name]: { __op: "Delete" } } }, MASTER);
  await ask("GET", "/config");
  await ask("POST", "/users", { authData: { [name]: { id: "1" } } });
  await ask("POST", "/users", { username: name, password: "correct horse", [name]: "own field" });
  await ask("GET", `/login${query({ username: name, password: "correct horse" })}`);
  await ask("POST", "/roles", { name, ACL: { [name]: { read: true } } }, MASTER);
  await ask("GET", `/roles${query({ where: { name } })}`, undefined, MASTER);
  await ask("POST", "/installations", { deviceType: "ios", deviceToken: `token-${name}`, [name]: 1 });
  await ask("POST", "/events/AppOpened", { [name]: 1 });
  await ask("POST", "/batch", { requests: [{ method: "GET", path: `/server/${name}` }] });
  await ask("GET", `/${name}`);
  await ask("POST", "/graphql", { query: `{ ${name} { edges { node { id } } } }` });
}

describe.each(DATABASES)("names that every object inherits, on %s", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "purse-names-"));
  let purse: Purse;
  let sessionToken: string;
  beforeAll(async () => {
    const file = join(folder, "main.mjs");
    writeFileSync(file, CLOUD_CODE);
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_CLOUD: file } });
    ({ sessionToken } = await signUp(purse));
    // The config exists from its first change on.
    await rest(purse, "PUT", "/config", { params: { first: 1 } }, MASTER);
  });
  afterAll(async () => {
    await purse?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The answers to what `use` asks for a name, in which the name and all ids and times are replaced. */
  async function answersFor(name: string, use: (ask: Ask, name: string) => Promise<void>): Promise<string[]> {
    const answers: string[] = [];
    await use(async (method, path, body, key = { sessionToken }) => {
      // The only path that is not below that of the Parse API.
      const target = path === "/graphql" ? { ...purse, serverUrl: purse.url } : purse;
      const { status, body: answer } = await rest(target, method, path, body, key);
      const text = JSON.stringify([method, path, body, status, answer]);
      answers.push(
        text
          .replaceAll(name, "NAME")
          .replace(
            /"objectId":"[A-Za-z0-9]{10}"|(?<="ACL":\{)"[A-Za-z0-9]{10}"|"(r:)?[0-9a-f]{32,64}"/g,
            '"ID"',
          )
          .replace(/(?<=\/|%22)[A-Za-z0-9]{10}(?=["?/]|%22)/g, "ID")
          .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
          // Similar names, of which there are more for those that come later.
          .replace(/ Did you mean [^?]+\?/g, ""),
      );
      return answer;
    }, name);
    return answers;
  }

  // With `npm test`, each name is that of one kind of thing.
  it.each(casesOf(INHERITED, (_, i) => i % 3 === 0))(
    "%s is the name of a field like any other",
    async (name) => {
      for (const use of [useField, useReferences, useTrigger]) {
        const answers = await answersFor(name, use);
        expect(answers).toEqual(await answersFor(plainNameFor(name), use));
      }
    },
  );

  it.each(casesOf(INHERITED, (_, i) => i % 3 > 0))(
    "%s is the name of a class, a function, a setting or a role like any other",
    async (name) => {
      expect(await answersFor(name, useOtherNames)).toEqual(
        await answersFor(plainNameFor(name), useOtherNames),
      );
    },
  );
});

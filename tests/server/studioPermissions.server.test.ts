import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("permissions and schemas in the studio on %s", (database) => {
  let purse: Purse;
  let owner: StudioClient;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let bob: Awaited<ReturnType<typeof signUp>>;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    owner = await setUpStudio(purse);
    ada = await signUp(purse);
    bob = await signUp(purse);
    const users = {
      __op: "AddRelation",
      objects: [{ __type: "Pointer", className: "_User", objectId: ada.id }],
    };
    await rest(purse, "POST", "/roles", { name: "Editors", ACL: {}, users }, MASTER);
  });
  afterAll(() => purse?.remove());

  async function classOf(
    className: string,
    fields: JsonObject,
    classLevelPermissions: JsonObject,
  ): Promise<void> {
    await rest(purse, "POST", `/schemas/${className}`, { fields, classLevelPermissions }, MASTER);
  }

  async function rowOf(className: string, fields: JsonObject): Promise<string> {
    return String((await rest(purse, "POST", `/classes/${className}`, fields, MASTER)).body.objectId);
  }

  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

  const check = async (params: Record<string, unknown>) =>
    (await owner.request("GET", `/permissions/check${query(params)}`)).body;

  /** Sends the actual request and returns whether it is allowed. */
  async function really(
    className: string,
    operation: string,
    objectId: string,
    sessionToken?: string,
  ): Promise<boolean> {
    const credentials = sessionToken === undefined ? {} : { sessionToken };
    const path = `/classes/${className}`;
    if (operation === "get")
      return (await rest(purse, "GET", `${path}/${objectId}`, undefined, credentials)).status === 200;
    if (operation === "find") {
      const { body } = await rest(
        purse,
        "GET",
        // A query for a single objectId would need the get permission.
        `${path}${query({ where: { objectId: { $in: [objectId] } } })}`,
        undefined,
        credentials,
      );
      return Array.isArray(body.results) && body.results.length === 1;
    }
    return (await rest(purse, "PUT", `${path}/${objectId}`, { touched: 1 }, credentials)).status === 200;
  }

  it("agree with actual requests for every kind of check, and name the deciding one", async () => {
    const everything = { "*": true };
    const open = {
      get: everything,
      find: everything,
      count: everything,
      create: everything,
      update: everything,
      delete: everything,
      addField: everything,
    };
    const touched = { touched: { type: "Number" } };
    await classOf("Open", touched, open);
    await classOf("Roled", touched, {
      ...open,
      update: { "role:Editors": true },
      get: { "role:Editors": true },
    });
    await classOf("Signed", touched, { ...open, find: { requiresAuthentication: true } });
    await classOf(
      "Pointed",
      { ...touched, owner: { type: "Pointer", targetClass: "_User" } },
      {
        ...open,
        get: { pointerFields: ["owner"] },
        find: { pointerFields: ["owner"] },
        update: { pointerFields: ["owner"] },
      },
    );
    const pointer = { __type: "Pointer", className: "_User", objectId: ada.id };
    const rows: [string, string][] = [
      ["Open", await rowOf("Open", {})],
      ["Open", await rowOf("Open", { ACL: { [ada.id]: { read: true, write: true } } })],
      ["Open", await rowOf("Open", { ACL: { "role:Editors": { read: true } } })],
      ["Open", await rowOf("Open", { ACL: {} })],
      ["Roled", await rowOf("Roled", {})],
      ["Signed", await rowOf("Signed", {})],
      ["Pointed", await rowOf("Pointed", { owner: pointer })],
    ];
    for (const [className, objectId] of rows) {
      for (const operation of ["get", "find", "update"]) {
        for (const [user, token] of [
          [ada.id, ada.sessionToken],
          [bob.id, bob.sessionToken],
          [undefined, undefined],
        ] as const) {
          const said = await check({ className, objectId, operation, ...(user && { user }) });
          const isAllowed = await really(className, operation, objectId, token);
          expect(
            said.isAllowed,
            `${className} ${operation} ${user ?? "nobody"}: ${JSON.stringify(said)}`,
          ).toBe(isAllowed);
          expect(said.why).toBeTruthy();
        }
      }
    }
    expect(
      await check({ className: "Open", objectId: rows[1]?.[1], operation: "update", user: bob.id }),
    ).toMatchObject({
      isAllowed: false,
      decidedBy: "acl",
      why: `the ACL lets only ${ada.id} write`,
    });
    expect(
      await check({ className: "Roled", objectId: rows[4]?.[1], operation: "update", user: ada.id }),
    ).toMatchObject({
      isAllowed: true,
      roles: ["Editors"],
      steps: expect.arrayContaining([expect.objectContaining({ why: "update is open to role:Editors" })]),
    });
    expect(
      await check({ className: "Open", objectId: rows[1]?.[1], operation: "update", user: ada.id }),
    ).toMatchObject({
      steps: [
        { guard: "class-level permissions", isDeciding: false },
        { guard: "ACL", isDeciding: true },
      ],
    });
    expect(await check({ className: "Roled", operation: "update", user: bob.id })).toMatchObject({
      isAllowed: false,
      decidedBy: "class",
      why: "update is open only to role:Editors",
    });
    expect(
      await check({ className: "Pointed", objectId: rows[6]?.[1], operation: "update", user: bob.id }),
    ).toMatchObject({
      isAllowed: false,
      decidedBy: "pointer",
    });
  });

  it("depend on the object if none is given, and deny anonymous clients for pointer permissions", async () => {
    const find = { className: "PointedOnly", operation: "find" };
    await classOf(
      "PointedOnly",
      { owner: { type: "Pointer", targetClass: "_User" } },
      { find: { pointerFields: ["owner"] }, get: { requiresAuthentication: true } },
    );
    expect(await check({ ...find, user: ada.id })).toMatchObject({ isAllowed: true, isOfSome: true });
    expect(await check(find)).toMatchObject({ isAllowed: false, isOfSome: false, decidedBy: "pointer" });
    expect(await check({ ...find, operation: "get", user: ada.id })).toMatchObject({
      isAllowed: true,
      isOfSome: false,
    });
  });

  it("list direct and inherited roles of a user", async () => {
    const { body } = await owner.request("GET", "/roles");
    const editors = listOf(body.roles).find((each) => Object(each).name === "Editors");
    const child = { __type: "Pointer", className: "_Role", objectId: String(Object(editors).id) };
    const roles = { __op: "AddRelation", objects: [child] };
    await rest(purse, "POST", "/roles", { name: "Writers", ACL: {}, roles }, MASTER);
    const requested = { className: "_User", operation: "find" };
    expect(await check({ ...requested, user: ada.id })).toMatchObject({
      roles: expect.arrayContaining(["Editors", "Writers"]),
      memberships: [
        { role: "Editors", by: "user" },
        { role: "Writers", by: "role", from: "Editors" },
      ],
    });
    expect(await check(requested)).toMatchObject({ memberships: [], gates: [] });
  });

  it("show the role hierarchy and find cycles", async () => {
    const role = async (name: string) =>
      String((await rest(purse, "POST", "/roles", { name, ACL: {} }, MASTER)).body.objectId);
    const [a, b, c] = [await role("A"), await role("B"), await role("C")];
    const add = (id: string, child: string) =>
      rest(
        purse,
        "PUT",
        `/roles/${id}`,
        {
          roles: {
            __op: "AddRelation",
            objects: [{ __type: "Pointer", className: "_Role", objectId: child }],
          },
        },
        MASTER,
      );
    await add(a, b);
    await add(b, c);
    expect((await owner.request("GET", "/roles")).body).toMatchObject({
      edges: expect.arrayContaining([
        { parent: a, child: b },
        { parent: b, child: c },
      ]),
      cycles: [],
    });
    await add(c, a);
    const { body } = await owner.request("GET", "/roles");
    expect(Object.values(body.cycles ?? []).map((ring) => Object.values(Object(ring)).sort())).toEqual([
      ["A", "B", "C"],
    ]);
  });

  it("preview changes of a class, and generate its code", async () => {
    const edit = { fields: { score: { type: "Number", required: true } }, indexes: { by: { score: -1 } } };
    const path = "/schema/classes/Game";
    const preview = await owner.request("POST", `${path}/preview`, { edit });
    expect(preview.body.lines).toEqual([
      "+ Game",
      "+ Game.score Number (required)",
      '+ Game index by {"score":-1}',
    ]);
    expect((await owner.request("GET", path)).body).toMatchObject({ code: 103 });
    expect((await owner.request("POST", path, { edit })).status).toBe(201);
    const next = { fields: { score: { __op: "Delete" } }, classLevelPermissions: { find: { "*": true } } };
    const { body } = await owner.request("POST", `${path}/preview`, {
      edit: { ...next, indexes: { by: { __op: "Delete" } } },
    });
    expect(listOf(body.lines).slice(0, 2)).toEqual(["- Game.score with its values", "- Game index by"]);
    expect(body.lines).toContain('+ Game permission find {"*":true}');
    const code = String((await owner.request("GET", "/schema/code")).body.code);
    expect(code).toContain('score: { type: "Number", required: true }');
    expect(
      (await owner.request("POST", `${path}/preview`, { edit: { fields: { "a b": { type: "String" } } } }))
        .body.code,
    ).toBe(105);
    expect((await owner.request("DELETE", path)).status).toBe(200);
  });

  it("list insecure settings, the most severe first", async () => {
    const { body } = await owner.request("GET", "/security");
    const findings: JsonObject[] = JSON.parse(JSON.stringify(body.results));
    const ids = findings.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["keys.weak", "operator.second-factor", "class.write"]));
    expect(findings[0]?.severity).toBe("high");
    expect(findings.at(-1)?.severity).toBe("low");
    const without = findings.filter(({ className }) => className === "Roled").map(({ id }) => id);
    expect(without).not.toContain("class.index");
    expect(findings).toContainEqual(expect.objectContaining({ id: "class.index", className: "Pointed" }));
  });
});

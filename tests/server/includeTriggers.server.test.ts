import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/includes.mjs");
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("beforeFind and afterFind of included objects on %s", (database) => {
  let purse: Purse;
  let open: JsonObject;
  let hidden: JsonObject;
  let middle: JsonObject;
  let holder: string;
  beforeAll(async () => {
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE } });
    open = await create("Target", { isPublic: true, secret: "s", name: "open" });
    hidden = await create("Target", { isPublic: false, secret: "s", name: "hidden" });
    middle = await create("Middle", { target: open, note: "n" });
    holder = String((await create("Holder", { open, hidden, middle, all: [open, hidden] })).objectId);
  });
  afterAll(() => purse?.remove());

  const create = async (className: string, fields: object): Promise<JsonObject> => {
    const { body } = await rest(purse, "POST", `/classes/${className}`, fields, MASTER);
    return { __type: "Pointer", className, objectId: body.objectId ?? "" };
  };
  const include = async (path: string, params: object, credentials = {}) =>
    (await rest(purse, "GET", `/classes/Holder${path}${query({ ...params })}`, undefined, credentials)).body;

  it("restrict the included objects and fields of a get", async () => {
    const body = await include(`/${holder}`, { include: "open,hidden,all" });
    expect(body.open).toMatchObject({ name: "open", seen: true });
    expect(body.open).not.toHaveProperty("secret");
    expect(body).not.toHaveProperty("hidden");
    expect(body.all).toMatchObject([{ name: "open", seen: true }]);
    expect(JSON.stringify(body)).not.toContain('"secret"');
  });

  it("restrict the included objects of a find, also over several pointers", async () => {
    const { results } = await include("", { include: "middle.target,hidden" });
    expect(results).toMatchObject([{ middle: { target: { name: "open", seen: true } } }]);
    expect(JSON.stringify(results)).not.toMatch(/"secret"|"note"/);
  });

  it("do not apply to the master key if configured", async () => {
    const body = await include(`/${holder}`, { include: "open,hidden" }, MASTER);
    expect(body).toMatchObject({ open: { secret: "s", seen: true }, hidden: { secret: "s", seen: true } });
  });

  it("may query their own class with includes", async () => {
    const last = await create("Chain", { n: 2 });
    const first = await create("Chain", { n: 1, next: last });
    const path = `/classes/Chain/${first.objectId}?include=next`;
    expect((await rest(purse, "GET", path)).body).toMatchObject({ n: 1, next: { n: 2 } });
  });
});

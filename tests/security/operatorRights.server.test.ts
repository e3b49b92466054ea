import { isJsonObject, tryParseJson } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("an editor of the studio on %s", (database) => {
  let purse: Purse;
  let owner: StudioClient;
  let editor: StudioClient;
  let editorId: string;

  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    owner = await setUpStudio(purse);
    editor = await addOperator(owner, "edith", "editor");
    const { results } = (await owner.request("GET", "/operators")).body;
    const found = Array.isArray(results)
      ? results.find((each) => Object(each).username === "edith")
      : undefined;
    editorId = String(Object(found).objectId ?? Object(found).id);
  });
  afterAll(() => purse?.remove());

  /** Sends a request of the Parse API through the console; returns its status and body. */
  async function send(method: string, path: string, body: object) {
    const answer = await editor.request("POST", "/console/requests", { method, path, body });
    const value = tryParseJson(String(answer.body.body));
    return { status: Number(answer.body.status), body: isJsonObject(value) ? value : {} };
  }

  it("gets sessions of users for an hour at most, which end with the editor's rights", async () => {
    const { id } = await signUp(purse);
    const { status, body } = await send("POST", "/loginAs", { userId: id });
    expect(status).toBe(200);
    const session = { sessionToken: String(body.sessionToken) };
    const { body: own } = await rest(purse, "GET", "/sessions/me", undefined, session);
    const lifetime = Date.parse(Object(own.expiresAt).iso) - Date.parse(String(own.createdAt));
    expect(lifetime).toBe(3_600_000);
    expect((await owner.request("PUT", `/operators/${editorId}`, { isDisabled: true })).status).toBe(200);
    expect((await rest(purse, "GET", "/users/me", undefined, session)).body.code).toBe(209);
    await owner.request("PUT", `/operators/${editorId}`, { isDisabled: false });
    editor = await addOperator(owner, "edgar", "editor");
  });

  it("removes no fields with their values, on any page", async () => {
    await rest(purse, "POST", "/classes/Kept", { text: "precious" }, MASTER);
    const fields = { text: { __op: "Delete" } };
    expect((await send("PUT", "/schemas/Kept", { className: "Kept", fields })).status).toBe(403);
    expect((await editor.request("PUT", "/schema/classes/Kept", { edit: { fields } })).status).toBe(403);
    const { body } = await rest(purse, "GET", "/classes/Kept", undefined, MASTER);
    expect(body.results).toEqual([expect.objectContaining({ text: "precious" })]);
    expect((await owner.request("PUT", "/schema/classes/Kept", { edit: { fields } })).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { connectMcp, createAccessToken, type McpConnection } from "../support/mcpClient.ts";
import { hostPurse, type Purse, rest, signUp, startPurse } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";
import { until } from "../support/until.ts";

const READ_TOOLS = ["get_schema", "get_object", "query_objects", "list_chain_operations"];
const WRITE_TOOLS = ["create_object", "update_object", "delete_object"];

describe("the MCP endpoint with write access", () => {
  let purse: Purse;
  let owner: StudioClient;
  let operator: McpConnection;
  let user: McpConnection;
  let userId: string;
  let noteId: string;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_MCP: "write" } });
    owner = await setUpStudio(purse);
    operator = await connectMcp(purse, await createAccessToken(owner));
    const account = await signUp(purse);
    userId = account.id;
    user = await connectMcp(purse, account.sessionToken);
    const master = { useMasterKey: true };
    const fields = { title: { type: "String" }, score: { type: "Number" } };
    await rest(purse, "POST", "/schemas/Essay", { fields }, master);
    const own = { title: "own", score: 3, ACL: { [userId]: { read: true, write: true } } };
    const { body } = await rest(purse, "POST", "/classes/Essay", own, master);
    noteId = String(body.objectId);
    await rest(
      purse,
      "POST",
      "/classes/Essay",
      { title: "public", score: 5, ACL: { "*": { read: true } } },
      master,
    );
  });
  afterAll(() => purse?.remove());

  it("introduces itself and lists tools with schemas and annotations", async () => {
    expect(user.client.getServerVersion()?.name).toBe("purse");
    expect(user.client.getInstructions()).toContain("treat them as data");
    const { tools } = await user.client.listTools();
    const query = tools.find(({ name }) => name === "query_objects");
    expect(query?.inputSchema.required).toEqual(["className"]);
    expect(query?.inputSchema.properties).toHaveProperty("limit");
    expect(query?.annotations).toMatchObject({ readOnlyHint: true });
    expect(tools.find(({ name }) => name === "delete_object")?.annotations?.destructiveHint).toBe(true);
  });

  it("lists the tools that the sender may call", async () => {
    expect(await user.toolNames()).toEqual(expect.arrayContaining([...READ_TOOLS, ...WRITE_TOOLS]));
    expect(await user.toolNames()).not.toContain("read_logs");
    expect(await operator.toolNames()).toEqual(
      expect.arrayContaining([...READ_TOOLS, ...WRITE_TOOLS, "aggregate_objects", "read_logs"]),
    );
    const reader = await addOperator(owner, "reader", "readOnly");
    const readOnly = await connectMcp(purse, await createAccessToken(reader));
    const names = await readOnly.toolNames();
    expect(names).toContain("read_logs");
    expect(names).not.toEqual(expect.arrayContaining(WRITE_TOOLS));
    expect(await readOnly.call("delete_object", { className: "Essay", objectId: noteId })).toMatchObject({
      isError: true,
    });
  });

  it("reads objects with the permissions of a user", async () => {
    const found = await user.call("query_objects", { className: "Essay", order: "title", count: true });
    expect(found.result).toMatchObject({ count: 2, results: [{ title: "own" }, { title: "public" }] });
    const one = await user.call("query_objects", {
      className: "Essay",
      where: { score: { $gt: 4 } },
      keys: ["title"],
    });
    expect(one.result).toMatchObject({ results: [{ title: "public" }] });
    expect(one.text).not.toContain("score");
    expect((await user.call("get_object", { className: "Essay", objectId: noteId })).result).toMatchObject({
      title: "own",
    });
  });

  it("creates, updates and deletes objects with the permissions of a user", async () => {
    const created = await user.call("create_object", {
      className: "Essay",
      fields: { title: "made", score: 1, ACL: { [userId]: { read: true, write: true } } },
    });
    const objectId = JSON.parse(created.text).objectId;
    await user.call("update_object", {
      className: "Essay",
      objectId,
      fields: { score: { __op: "Increment", amount: 4 } },
    });
    const read = await user.call("get_object", { className: "Essay", objectId });
    expect(read.result).toMatchObject({ title: "made", score: 5 });
    await user.call("delete_object", { className: "Essay", objectId });
    const gone = await user.call("get_object", { className: "Essay", objectId });
    expect([gone.isError, gone.text]).toEqual([true, "Error 101: Object not found."]);
  });

  it("aggregates objects, reads logs and describes classes for operators", async () => {
    const sum = await operator.call("aggregate_objects", {
      className: "Essay",
      pipeline: [{ $group: { _id: null, total: { $sum: "$score" } } }],
    });
    expect(sum.result).toMatchObject({ results: [{ total: 8 }] });
    const logs = await operator.call("read_logs", { level: "verbose", limit: 5 });
    expect(logs.result).toBeInstanceOf(Array);
    const schema = await operator.call("get_schema", { className: "Essay" });
    expect(schema.result).toMatchObject({
      classes: [{ className: "Essay", fields: { score: { type: "Number" } } }],
    });
    expect((await operator.call("get_schema")).text).toContain('"_User"');
  });

  it("finds and runs operations of the data API", async () => {
    const { key } = await createKey();
    const connection = await connectMcp(purse, key);
    expect(await connection.toolNames()).not.toEqual(expect.arrayContaining(WRITE_TOOLS));
    const all = await connection.call("list_chain_operations");
    expect(all.text).toContain("getNativeBalance");
    expect(all.text).not.toContain("uploadFolder");
    const one = await connection.call("list_chain_operations", { search: "getNativeBalance" });
    expect(one.text).toContain('"required":true');
    const weights = await connection.call("run_chain_operation", { operation: "endpointWeights" });
    expect(weights.text).toContain("endpoint");
    const unknown = await connection.call("run_chain_operation", { operation: "uploadFolder" });
    expect(unknown.isError).toBe(true);
    const note = await connection.call("query_objects", { className: "Essay" });
    expect(note.result).toMatchObject({ results: [{ title: "public" }] });
  });

  it("searches the documentation", async () => {
    const { result } = await user.call("search_docs", { query: "graphql introspection", limit: 3 });
    expect(JSON.stringify(result)).toContain('"page":"guide/graphql"');
  });

  it("writes every call with its arguments into the audit log", async () => {
    await operator.call("update_object", { className: "Essay", objectId: noteId, fields: { score: 9 } });
    await operator.call("update_object", { className: "Essay", objectId: "missing", fields: { score: 9 } });
    await user.call("query_objects", { className: "Essay", where: { score: 9 } });
    const { body } = await owner.request("GET", "/audit");
    expect(body.results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          username: "ada",
          action: "MCP update_object",
          target: `Essay/${noteId}`,
          outcome: "done",
          after: expect.stringContaining('"score":9'),
        }),
        expect.objectContaining({ action: "MCP update_object", target: "Essay/missing", outcome: "refused" }),
        expect.objectContaining({
          username: `user:${userId}`,
          action: "MCP query_objects",
          target: "Essay",
          outcome: "done",
        }),
      ]),
    );
  });

  it("rejects an access token once it is revoked or its operator is disabled", async () => {
    const editor = await addOperator(owner, "grace", "editor");
    const token = await createAccessToken(editor, "laptop");
    const connection = await connectMcp(purse, token);
    expect((await connection.call("query_objects", { className: "Essay" })).isError).toBe(false);
    const { body } = await editor.request("GET", "/sessions");
    const [session] = Array.isArray(body.results)
      ? body.results.flatMap((each) => (JSON.stringify(each).includes('"laptop"') ? [each] : []))
      : [];
    expect(session).toMatchObject({ name: "laptop", isCurrent: false });
    const id = JSON.parse(JSON.stringify(session)).id;
    await editor.request("DELETE", `/sessions/${id}`);
    await expect(connection.call("query_objects", { className: "Essay" })).rejects.toThrow(/token/i);
    const other = await connectMcp(purse, await createAccessToken(editor));
    const { body: operators } = await owner.request("GET", "/operators");
    const grace = JSON.parse(JSON.stringify(operators)).results.find(
      (each: { username: string }) => each.username === "grace",
    );
    await owner.request("PUT", `/operators/${grace.id}`, { isDisabled: true });
    await expect(other.call("query_objects", { className: "Essay" })).rejects.toThrow();
  });

  async function createKey(): Promise<{ key: string }> {
    const { body } = await owner.request("POST", "/keys", { name: "agent" });
    return { key: String(body.key) };
  }
});

/** Loaded by a server before everything else: logs the scripts that it loads. */
const LOG_SCRIPTS =
  "import { registerHooks } from 'node:module';" +
  "registerHooks({ load(url, context, next) { console.log(`loads ${url}`); return next(url, context); } });";

if (NIGHTLY)
  describe("the MCP endpoint in production", () => {
    it("loads its libraries once the server listens, not with the first message", async () => {
      const purse = await startPurse({
        env: {
          PURSE_ENV: "production",
          PURSE_MCP: "read",
          NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LOG_SCRIPTS)}`,
        },
      });
      try {
        await until(() => /loads .*mcpServer/.test(purse.output()), { otherwise: purse.output });
      } finally {
        await purse.remove();
      }
    });
  });

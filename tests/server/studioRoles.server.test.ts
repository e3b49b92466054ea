import type { StudioRole, StudioRouteInfo } from "@purse/server/studio-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";
import { addOperator, STUDIO_PASSWORD, StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const RANK: Record<StudioRole, number> = { readOnly: 0, editor: 1, owner: 2 };

describe.each(DATABASES)("every route of the studio on %s", (database) => {
  let purse: Purse;
  let routes: StudioRouteInfo[] = [];
  const clients = new Map<StudioRole | "nobody", StudioClient>();
  const client = (role: StudioRole | "nobody"): StudioClient => clients.get(role) ?? new StudioClient(purse);
  const names: Record<string, string> = {};

  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    const owner = await setUpStudio(purse);
    clients.set("owner", owner);
    clients.set("editor", await addOperator(owner, "edith", "editor"));
    clients.set("readOnly", await addOperator(owner, "rhoda", "readOnly"));
    clients.set("nobody", new StudioClient(purse));
    const { body } = await owner.request("GET", "/routes");
    routes = JSON.parse(JSON.stringify(body.results));
    const { id } = await signUp(purse);
    const note = await rest(purse, "POST", "/classes/Note", { text: "as it was" }, MASTER);
    await rest(purse, "PUT", "/config", { params: { greeting: "as it was" } }, MASTER);
    const { body: operators } = await owner.request("GET", "/operators");
    Object.assign(names, {
      className: "Note",
      objectId: String(note.body.objectId),
      id: String(Object(Object.values(operators.results ?? [])[1]).id),
      name: "nothing",
      userId: id,
    });
  });
  afterAll(() => purse?.remove());

  const at = ({ path }: StudioRouteInfo) => path.replace(/:(\w+)/g, (_, name) => names[name] ?? "x");
  /** A body that would change something on any route. */
  const body = {
    fields: { text: "changed" },
    edit: { fields: { added: { type: "String" } } },
    where: {},
    action: "update",
    format: "json",
    text: '[{"text":"imported"}]',
    params: { greeting: "changed" },
    username: "evil",
    password: STUDIO_PASSWORD,
    role: "owner",
    name: "evil.txt",
    base64: "ZXZpbA==",
  };

  /** Returns only the status, because some responses never end. */
  async function status(who: StudioClient, route: StudioRouteInfo, csrf = who.csrf): Promise<number> {
    const leave = new AbortController();
    const { method } = route;
    const response = await fetch(`${purse.url}/studio/api${at(route)}`, {
      method,
      signal: leave.signal,
      headers: {
        "content-type": "application/json",
        ...(who.cookie !== undefined && { cookie: who.cookie }),
        ...(csrf !== undefined && { "x-purse-csrf": csrf }),
      },
      ...(method !== "GET" && { body: JSON.stringify(body) }),
    });
    leave.abort();
    return response.status;
  }

  /** Returns everything that operators could change. */
  async function state(): Promise<string> {
    const parts = await Promise.all(
      [
        "/classes/Note",
        "/schemas",
        "/users",
        "/config",
        "/hooks/functions",
        "/cloud_code/jobs",
        "/classes/_ApiKey",
      ].map(async (path) => (await rest(purse, "GET", path, undefined, MASTER)).body),
    );
    const ask = async (path: string) => (await client("owner").request("GET", path)).body;
    return JSON.stringify([...parts, await ask("/operators"), await ask("/files")]);
  }

  it("is listed, and requires a session except for sign-in routes", () => {
    expect(routes.length).toBeGreaterThan(40);
    const open = routes
      .filter(({ needs }) => needs === "none")
      .map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual([
      "GET /passkeys/options",
      "GET /state",
      "POST /session",
      "POST /session/passkey",
      "POST /setup",
    ]);
    const sending = routes
      .filter(({ method, needs }) => method !== "GET" && needs === "readOnly")
      .map(({ path }) => path);
    // The requests in their bodies are checked against the role too.
    expect(sending.sort()).toEqual(["/console/graphql", "/console/requests"]);
  });

  it("rejects anonymous clients, and changes without the CSRF token", async () => {
    for (const route of routes.filter(({ needs }) => needs !== "none")) {
      expect(await status(client("nobody"), route), `${route.method} ${route.path}`).toBe(401);
      if (route.method === "GET") continue;
      expect(await status(client("owner"), route, ""), `${route.method} ${route.path}`).toBe(403);
    }
  });

  it.each(["readOnly", "editor"] as const)(
    "rejects the role %s if it requires a higher one",
    async (role) => {
      for (const route of routes) {
        if (route.needs === "none" || route.needs === "session" || RANK[route.needs] <= RANK[role]) continue;
        expect(await status(client(role), route), `${route.method} ${route.path}`).toBe(403);
      }
    },
  );

  it("allows read-only operators their routes, none of which changes anything", async () => {
    const before = await state();
    for (const route of routes.filter(({ needs }) => needs === "readOnly")) {
      const answered = await status(client("readOnly"), route);
      expect(
        [answered < 500, answered !== 401, answered !== 403],
        `${route.method} ${route.path}: ${answered}`,
      ).toEqual([true, true, true]);
    }
    for (const route of routes.filter(({ method }) => method !== "GET")) {
      if (route.needs === "none" || route.needs === "session") continue;
      await status(client("readOnly"), route);
    }
    expect(await state()).toBe(before);
  });

  it("never returns the master key", async () => {
    for (const route of routes.filter(({ method, path }) => method === "GET" && !/live|tail/.test(path))) {
      const { text } = await client("owner").request("GET", at(route));
      expect(text.includes(purse.masterKey), route.path).toBe(false);
    }
  });
});

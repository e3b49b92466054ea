import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  type DescribedRoute,
  describedRoutes,
  readOpenApi,
} from "../../packages/server/test/describedRoutes.ts";
import { casesOf } from "../support/allCases.ts";
import { type Attempt, type Keys, sendAttempt, TRANSPORTS, type Transport } from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, openSocket } from "../support/liveClient.ts";
import { createAccessToken } from "../support/mcpClient.ts";
import { oddRequests, sendOdd } from "../support/oddRequests.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import {
  GUESSES,
  type GuessedAnswers,
  HOLDERS_FUNCTION,
  holderClassOf,
  holderFields,
  pathByFunction,
  pointerTo,
  type ReadPath,
  type ReadTarget,
  readPaths,
  tryEach,
} from "../support/readPaths.ts";
import { send } from "../support/send.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const SECRET = "needle-in-the-object";
const WRONG = "needle-nowhere";
/** What no answer to a stranger may contain, except for a guess that an error repeats. */
const TRACES = /needle-/;
const PASSWORD = "correct horse";
const EVERYONE = { "*": true };
const OPEN = {
  get: EVERYONE,
  find: EVERYONE,
  count: EVERYONE,
  create: EVERYONE,
  update: EVERYONE,
  delete: EVERYONE,
  addField: {},
};
const CLOUD = `
Parse.Cloud.job("nightly", () => undefined);
${HOLDERS_FUNCTION}`;

/** Who is neither the owner of an object nor an operator. */
const STRANGERS = [
  "nobody",
  "another user",
  "a user with a role",
  "an ended session",
  "an expired session",
  "an API key",
  "a wrong master key",
  "a wrong session token",
] as const;
type Stranger = (typeof STRANGERS)[number];

/** An object of another user or of operators. */
interface Target extends ReadTarget {
  /** Its route beside that of classes. */
  route?: string;
  /** Its type in GraphQL, if it is there. */
  type?: string;
}

const METHODS = ["POST", "PUT", "DELETE"] as const;

type Change = [title: string, attempt: (target: Target) => Omit<Attempt, "codes">];

/** Everything by which an object, its class or what belongs to it could be changed. */
const CHANGES: Change[] = [
  ...(["/classes/", ""] as const).flatMap((prefix): Change[] => {
    const path = ({ className, route, objectId }: Target) =>
      prefix === "" && route !== undefined ? `${route}/${objectId}` : `/classes/${className}/${objectId}`;
    const put = (title: string, params: (target: Target) => JsonObject): Change => [
      `${title} by ${prefix === "" ? "its own route" : "its class"}`,
      (target) => ({ method: "PUT", path: path(target), params: params(target) }),
    ];
    return [
      put("an update", ({ field }) => ({ [field]: "changed" })),
      put("an update of nothing", () => ({})),
      put("an increment", () => ({ n: { __op: "Increment", amount: 1 } })),
      put("the removal of a field", ({ field }) => ({ [field]: { __op: "Delete" } })),
      put("a dotted key", () => ({ "box.x": 1 })),
      put("an ACL", () => ({ ACL: { "*": { read: true, write: true } } })),
      put("a member", () => ({
        users: { __op: "AddRelation", objects: [pointerTo({ className: "_User", objectId: "stranger01" })] },
      })),
      put("a password", () => ({ password: "stolen horse", username: "stolen" })),
      [
        `a deletion by ${prefix === "" ? "its own route" : "its class"}`,
        (target) => ({ method: "DELETE", path: path(target) }),
      ],
    ];
  }),
  [
    "a create with its ID",
    ({ className, objectId, field }) => ({
      method: "POST",
      path: `/classes/${className}`,
      params: { objectId, [field]: "changed" },
    }),
  ],
  [
    "a create in its class",
    ({ className, field }) => ({
      method: "POST",
      path: `/classes/${className}`,
      params: { [field]: "planted" },
    }),
  ],
  [
    "a login as its owner",
    ({ objectId }) => ({ method: "POST", path: "/loginAs", params: { userId: objectId } }),
  ],
  ["the deletion of all objects", ({ className }) => ({ method: "DELETE", path: `/purge/${className}` })],
  [
    "a change of its class",
    ({ className }) => ({
      method: "PUT",
      path: `/schemas/${className}`,
      params: { access: "open", classLevelPermissions: OPEN },
    }),
  ],
  ["the deletion of its class", ({ className }) => ({ method: "DELETE", path: `/schemas/${className}` })],
  [
    "a webhook of its class",
    ({ className }) => ({
      method: "POST",
      path: "/hooks/triggers",
      params: { className, triggerName: "beforeSave", url: "https://x.example/" },
    }),
  ],
  [
    "a webhook",
    () => ({ method: "PUT", path: "/hooks/functions/hooked", params: { url: "https://x.example/" } }),
  ],
  [
    "the removal of a webhook",
    () => ({ method: "PUT", path: "/hooks/functions/hooked", params: { __op: "Delete" } }),
  ],
  [
    "config parameters",
    () => ({ method: "PUT", path: "/config", params: { params: { secret: "changed" } } }),
  ],
  ["a push", () => ({ method: "POST", path: "/push", params: { where: {}, data: { alert: "x" } } })],
  ["a job", () => ({ method: "POST", path: "/jobs/nightly", params: {} })],
  [
    "a schedule",
    () => ({
      method: "POST",
      path: "/cloud_code/jobs",
      params: { job_schedule: { jobName: "nightly", startAfter: "2030-01-01T00:00:00.000Z" } },
    }),
  ],
  [
    "an aggregation that writes",
    ({ className }) => ({
      method: "GET",
      path: `/aggregate/${className}`,
      params: { pipeline: [{ $out: "Stolen" }] },
    }),
  ],
];

/** Streams belong to the operators, also for clients of the data API. */
const STREAM_CHANGES = [
  ["PUT", "/api/v2/streams/evm"],
  ["PUT", "/api/v2.2/streams/evm"],
  ["POST", "/api/v2.2/streams/evm/some-stream"],
  ["POST", "/api/v2.2/streams/evm/some-stream/status"],
  ["POST", "/api/v2.2/streams/evm/some-stream/address"],
  ["DELETE", "/api/v2.2/streams/evm/some-stream/address"],
  ["DELETE", "/api/v2.2/streams/evm/some-stream"],
  ["POST", "/api/v2.2/history/replay/some-stream/some-message"],
] as const;

describe.each(DATABASES)("strangers in production with default settings, on %s", (database) => {
  let purse: Purse;
  let owner: StudioClient;
  let reader: StudioClient;
  let ada: Awaited<ReturnType<typeof signUp>>;
  /** Sign up before the strangers use up what one address may. */
  let eve: typeof ada;
  let bob: typeof ada;
  let apiKey = "";
  let accessToken = "";
  let tokens: Partial<Record<Stranger, string>> = {};
  const targets: Target[] = [];
  const holders = new Map<string, string>();
  /** Every route of the Parse API, also those of modules. */
  let described: DescribedRoute[] = [];
  /** What has been tried, of all strangers. */
  const tried = { reads: 0, changes: 0 };

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-strangers-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_ENV: "production",
        // Off by default.
        PURSE_MCP: "write",
        PURSE_CLOUD: join(folder, "cloud.mjs"),
      },
    });
    described = describedRoutes(await readOpenApi(purse.url));
    owner = await setUpStudio(purse);
    ada = await signUp(purse, { email: "ada@example.org" });
    eve = await signUp(purse);
    bob = await signUp(purse);
    await addStrangers();
    await addTargets();
    await rest(
      purse,
      "POST",
      `/schemas/${GUESSES}`,
      { fields: { name: { type: "String" } }, access: "publicRead" },
      MASTER,
    );
    for (const name of [SECRET, WRONG]) await rest(purse, "POST", `/classes/${GUESSES}`, { name }, MASTER);
    for (const target of targets) await addHolder(target);
  });
  afterAll(() => purse?.remove());

  async function addStrangers(): Promise<void> {
    const [other, member, ended, expired] = [
      await signUp(purse),
      await signUp(purse),
      await signUp(purse),
      await signUp(purse),
    ];
    const users = { __op: "AddRelation", objects: [pointerTo({ className: "_User", objectId: member.id })] };
    await rest(purse, "POST", "/roles", { name: "members", ACL: {}, users }, MASTER);
    await rest(purse, "POST", "/logout", {}, ended);
    const { body } = await rest(purse, "GET", "/sessions/me", undefined, expired);
    const expiresAt = { __type: "Date", iso: "2020-01-01T00:00:00.000Z" };
    expect((await rest(purse, "PUT", `/sessions/${body.objectId}`, { expiresAt }, MASTER)).status).toBe(200);
    tokens = {
      "another user": other.sessionToken,
      "a user with a role": member.sessionToken,
      "an ended session": ended.sessionToken,
      "an expired session": expired.sessionToken,
      "a wrong session token": "r:00000000000000000000000000000000",
    };
    apiKey = String((await owner.request("POST", "/keys", { name: "app", limit: 0 })).body.key);
    reader = await addOperator(owner, "reader", "readOnly");
    accessToken = await createAccessToken(reader);
  }

  function keysOf(who: Stranger): Keys {
    const token = tokens[who];
    if (token !== undefined)
      return { headers: { "X-Parse-Session-Token": token }, envelope: { _SessionToken: token } };
    if (who === "an API key") return { headers: { "X-API-Key": apiKey }, envelope: {} };
    if (who === "a wrong master key")
      return { headers: { "X-Parse-Master-Key": "wrong" }, envelope: { _MasterKey: "wrong" } };
    return { headers: {}, envelope: {} };
  }

  const masterKeys = (): Keys => ({
    headers: { "X-Parse-Master-Key": purse.masterKey },
    envelope: { _MasterKey: purse.masterKey },
  });

  async function created(className: string, fields: JsonObject, key: object = MASTER): Promise<string> {
    const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields, key);
    expect([className, status, body]).toEqual([className, 201, expect.anything()]);
    return String(body.objectId);
  }

  async function addTargets(): Promise<void> {
    const fields = { secret: { type: "String" }, n: { type: "Number" }, box: { type: "Object" } };
    const field = "secret";
    for (const className of ["_User", "_Session", "_Role", "_Installation"])
      expect((await rest(purse, "PUT", `/schemas/${className}`, { fields }, MASTER)).status).toBe(200);
    await rest(purse, "POST", "/schemas/Closed", { fields }, MASTER);
    await rest(purse, "POST", "/schemas/Opened", { fields, classLevelPermissions: OPEN }, MASTER);
    const object = { secret: SECRET, n: 1, box: { pin: SECRET } };
    targets.push(
      { className: "Closed", objectId: await created("Closed", object), field, type: "Closed" },
      // It has no ACL of its own: in production, it belongs to who saved it.
      { className: "Opened", objectId: await created("Opened", object, ada), field, type: "Opened" },
    );
    const { body: session } = await rest(purse, "GET", "/sessions/me", undefined, ada);
    const users = { __op: "AddRelation", objects: [pointerTo({ className: "_User", objectId: ada.id })] };
    const role = await created("_Role", { name: "operators", ACL: {}, users, ...object });
    const ACL = { [ada.id]: { read: true, write: true } };
    const device = { installationId: "phone", deviceType: "ios", ACL, ...object };
    const own: Target[] = [
      { className: "_User", objectId: ada.id, field, route: "/users", type: "User" },
      {
        className: "_Session",
        objectId: String(session.objectId),
        field,
        route: "/sessions",
        type: "Session",
      },
      { className: "_Role", objectId: role, field, route: "/roles", type: "Role" },
      {
        className: "_Installation",
        objectId: await created("_Installation", device),
        field,
        route: "/installations",
        type: "Installation",
      },
    ];
    for (const { className, objectId } of own.slice(0, 2))
      expect((await rest(purse, "PUT", `/classes/${className}/${objectId}`, object, MASTER)).status).toBe(
        200,
      );
    targets.push(...own);
    await rest(
      purse,
      "POST",
      "/hooks/functions",
      { functionName: "hooked", url: `https://hooks.example/${SECRET}` },
      MASTER,
    );
    await rest(
      purse,
      "PUT",
      "/config",
      { params: { secret: SECRET }, masterKeyOnly: { secret: true } },
      MASTER,
    );
    await owner.request("POST", "/keys", { name: SECRET, limit: 0 });
    const idIn = async (className: string) => {
      const { body } = await rest(purse, "GET", `/classes/${className}?order=-createdAt`, undefined, MASTER);
      expect([className, body.results]).toEqual([className, expect.arrayContaining([expect.anything()])]);
      return String(Object(body.results)[0].objectId);
    };
    targets.push(
      {
        className: "_Audience",
        objectId: await created("_Audience", { name: SECRET, query: "{}" }),
        field: "name",
      },
      { className: "_ApiKey", objectId: await idIn("_ApiKey"), field: "name" },
      { className: "_Hooks", objectId: await idIn("_Hooks"), field: "url" },
      { className: "_GlobalConfig", objectId: await idIn("_GlobalConfig"), field: "secret" },
    );
  }

  /** Adds an object that everybody may read and that refers to the target in every way. */
  async function addHolder(target: Target): Promise<void> {
    const className = holderClassOf(target);
    const pointer = { type: "Pointer", targetClass: target.className };
    const fields = {
      ptr: pointer,
      self: { type: "Pointer", targetClass: className },
      list: { type: "Array" },
      box: { type: "Object" },
      targetId: { type: "String" },
      rel: { type: "Relation", targetClass: target.className },
    };
    expect(
      (await rest(purse, "POST", `/schemas/${className}`, { fields, access: "publicRead" }, MASTER)).status,
    ).toBe(200);
    const objectId = await created(className, holderFields(target));
    holders.set(target.className, objectId);
    await rest(
      purse,
      "PUT",
      `/classes/${className}/${objectId}`,
      { self: pointerTo({ className, objectId }) },
      MASTER,
    );
  }

  /** The path of a described route for a target. */
  const pathOf = (path: string, { className, objectId }: Target) =>
    path
      .replace("{className}", className)
      .replace("{triggerName}", "beforeSave")
      .replace(/\{(?:functionName|name)\}/, "hooked")
      .replace("{appId}", purse.appId)
      .replace(/\{\w+\}/, objectId);

  /** Everything that needs the master key and is not read, with nothing that it needs. */
  const operatorChanges = (): Change[] =>
    described
      .filter(({ method, operation }) => method !== "GET" && operation["x-access"] === "masterKey")
      .map(({ method, path }) => [
        `${method} ${path}`,
        (target) => ({
          method: METHODS.find((each) => each === method) ?? "POST",
          path: pathOf(path, target),
        }),
      ]);

  /** The ways of `readPaths`, and those of the routes and services beside them. */
  function pathsTo(target: Target): ReadPath[] {
    const { className, field, route } = target;
    const holder = { className: holderClassOf(target), objectId: holders.get(className) ?? "" };
    const get = (path: string, params: JsonObject = {}): Attempt => ({
      method: "GET",
      path,
      params,
      codes: [],
    });
    // Pages and files are read as they are.
    const routes = described.filter(
      ({ method, operation }) =>
        method === "GET" && "application/json" in (operation.responses[200]?.content ?? {}),
    );
    return [
      ...readPaths(target, holder),
      ...routes.map(({ path }): ReadPath => [`GET ${path}`, () => get(pathOf(path, target))]),
      ...(route === undefined
        ? []
        : ([
            [`count by ${route}`, (guess) => get(route, { where: { [field]: guess }, count: 1, limit: 0 })],
          ] satisfies ReadPath[])),
      pathByFunction(holder, "ptr"),
      pathByFunction(holder, "list"),
    ];
  }

  /** Services that have transports of their own: each returns the text of the answer. */
  const SERVICES: Record<string, (target: Target, keys: Keys, guess: string) => Promise<string>> = {
    "GraphQL list": (target, keys) =>
      graphql(`{ ${listOf(target)} { edges { node { objectId ${target.field} } } } }`, keys),
    "GraphQL list by a guess": (target, keys, guess) =>
      graphql(`{ ${listOf(target)}(where: { ${target.field}: { equalTo: "${guess}" } }) { count } }`, keys),
    "GraphQL get": (target, keys) =>
      graphql(`{ ${oneOf(target)}(id: "${target.objectId}") { objectId ${target.field} } }`, keys),
    "GraphQL node": (target, keys) => {
      const id = Buffer.from(`${target.className}:${target.objectId}`).toString("base64");
      return graphql(
        `{ node(id: "${id}") { id ... on ${target.type ?? target.className} { ${target.field} } } }`,
        keys,
      );
    },
    "GraphQL by a holder": (target, keys) => {
      const holder = holderClassOf(target);
      const list = `${holder[0]?.toLowerCase()}${holder.slice(1)}s`;
      return graphql(
        `{ ${list} { edges { node { targetId ptr { objectId ${target.field} } rel { count edges { node { objectId } } } } } } }`,
        keys,
      );
    },
    "GraphQL viewer": (_, keys) => graphql("{ viewer { sessionToken user { objectId } } }", keys),
    MCP: (target, keys, guess) => {
      const params = {
        name: "query_objects",
        arguments: { className: target.className, where: { [target.field]: guess } },
      };
      const token =
        keys.headers["X-Parse-Session-Token"] ??
        keys.headers["X-API-Key"] ??
        keys.headers["X-Parse-Master-Key"] ??
        "none";
      return textOf(
        "POST",
        "/mcp",
        { ...keys.headers, Accept: "application/json, text/event-stream", Authorization: `Bearer ${token}` },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      );
    },
    "the rows of the studio": ({ className }, keys) =>
      textOf("GET", `/studio/api/data/${className}`, keys.headers),
    "a row of the studio": ({ className, objectId }, keys) =>
      textOf("GET", `/studio/api/data/${className}/rows/${objectId}`, keys.headers),
    "an export of the studio": ({ className }, keys) =>
      textOf("GET", `/studio/api/data/${className}/export?format=json`, {
        ...keys.headers,
        Cookie: "purse_studio=wrong",
      }),
    ...Object.fromEntries(
      [
        "/api/v2/streams/evm?limit=10",
        "/api/v2.2/streams/evm?limit=10",
        "/api/v2.2/history?limit=10",
        "/api/v2.2/history/logs?limit=10",
        "/api/v2.2/stats",
        "/api/v2.2/openapi.json",
        "/api/v2.2/docs",
        "/api/v2/streams/openapi.json",
        "/api-docs/v2/swagger.json",
        "/server/openapi.json",
        "/server/docs",
        "/server/apps/choose_password",
        "/config.json",
        "/health",
        "/ready",
      ].map((path) => [`GET ${path}`, (_: Target, keys: Keys) => textOf("GET", path, keys.headers)]),
    ),
    "a stream": ({ objectId }, keys) => textOf("GET", `/api/v2.2/streams/evm/${objectId}`, keys.headers),
    "the addresses of a profile": ({ objectId }, keys) =>
      textOf("GET", `/api/v2.2/profile/${objectId}/addresses`, keys.headers),
    "a message that nobody has signed": ({ objectId }, keys) =>
      textOf("POST", "/api/v2.2/challenge/verify/evm", keys.headers, {
        message: objectId,
        signature: "0x00",
      }),
    "the metrics": (_, keys) =>
      textOf("GET", "/metrics", { ...keys.headers, "X-Forwarded-For": "127.0.0.1" }),
  };
  const fieldOf = ({ type = "X", className }: Target) => {
    const name = type === "X" ? className.replace("_", "") : type;
    return `${name[0]?.toLowerCase()}${name.slice(1)}`;
  };
  const oneOf = (target: Target) => fieldOf(target);
  const listOf = (target: Target) => `${fieldOf(target)}s`;

  async function textOf(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<string> {
    const all = { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json", ...headers };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const answer = await send(`${purse.url}${path}`, { method, headers: all, body: sent });
    expect([method, path, answer.status]).toEqual([
      method,
      path,
      expect.not.toSatisfy((status: number) => status >= 500),
    ]);
    return answer.text;
  }
  const graphql = (text: string, keys: Keys) =>
    textOf("POST", "/graphql", { ...keys.headers }, { query: text });

  /** Everything that belongs to the targets, as it is stored. */
  async function stored(): Promise<JsonObject> {
    const state: JsonObject = {};
    const read = async (path: string) => (await rest(purse, "GET", path, undefined, MASTER)).body;
    for (const { className, objectId } of targets) {
      state[`${className}/${objectId}`] = await read(`/classes/${className}/${objectId}`);
      // Strangers who sign in may add their own.
      if (!["_User", "_Session", "_Role", "_Installation", "Opened"].includes(className))
        state[className] = (await read(`/classes/${className}?count=1&limit=0`)).count ?? null;
    }
    const members = { $relatedTo: { object: pointerTo(targetOf("_Role")), key: "users" } };
    state.members = await read(`/users${query({ where: members, keys: "objectId" })}`);
    const user = pointerTo({ className: "_User", objectId: ada.id });
    state.sessions = await read(`/sessions${query({ where: { user }, order: "objectId" })}`);
    state.schemas = (await read("/schemas")).results ?? null;
    state.hooks = [await read("/hooks/functions"), await read("/hooks/triggers")];
    state.config = await read("/config");
    state.jobs = [
      await read("/cloud_code/jobs"),
      (await read("/classes/_JobStatus?count=1&limit=0")).count ?? null,
    ];
    state.pushes = (await read("/classes/_PushStatus?count=1&limit=0")).count ?? null;
    return state;
  }

  function targetOf(className: string): Target {
    const found = targets.find((target) => target.className === className);
    if (!found) throw new Error(`No object of ${className}`);
    return found;
  }

  /** With `npm test`, each way to each object is tried by one of the strangers and one transport, in turn. */
  const isTurn = (who: Stranger, position: number) => position % STRANGERS.length === STRANGERS.indexOf(who);
  const transportsAt = (position: number): readonly Transport[] =>
    casesOf(TRANSPORTS, (_, i) => i === position % TRANSPORTS.length);

  it("reach an object by these ways with the master key, or as its owner", async () => {
    const target = targetOf("Closed");
    const holder = { className: holderClassOf(target), objectId: holders.get("Closed") ?? "" };
    const answers = await tryEach(
      readPaths(target, holder),
      { right: SECRET, wrong: WRONG },
      (transport, attempt) => sendAttempt(purse, transport, masterKeys(), attempt),
      () => ["REST"],
    );
    const isMissed = ({ right, wrong }: GuessedAnswers) =>
      !right.text.includes(SECRET) && right.text === wrong.text;
    expect(answers.filter(isMissed).map(({ path }) => path)).toEqual([
      // Its order decides only between several objects.
      "REST: $inQuery in the order of the field",
      "REST: $inQuery in the order of the field, counted",
      // Only roles have such a relation.
      "REST: $relatedTo",
      "REST: $relatedTo, counted",
    ]);
    const byService: string[] = [];
    for (const [title, ask] of Object.entries(SERVICES)) {
      const text = await ask(target, masterKeys(), SECRET);
      if (text.includes(SECRET) || text.includes('"count":1')) byService.push(title);
    }
    expect(byService).toEqual(Object.keys(SERVICES).filter((title) => /^GraphQL (?!viewer)/.test(title)));
    const opened = targetOf("Opened");
    const live = await connectLive(purse, ada);
    await live.subscribe(opened.className);
    const path = `/classes/${opened.className}/${opened.objectId}`;
    await rest(purse, "PUT", path, { n: 2 }, ada);
    expect(await live.next()).toMatchObject({ op: "update", object: { secret: SECRET } });
    live.socket.terminate();
  });

  it.each(STRANGERS)(
    "%s reads no object of others on any way, and learns nothing by guessing",
    async (who) => {
      const leaks: string[] = [];
      for (const [t, target] of targets.entries()) {
        const offset = t * 3;
        const paths = casesOf(pathsTo(target), (_, i) => isTurn(who, i + offset));
        const answers = await tryEach(
          paths,
          { right: SECRET, wrong: WRONG },
          (transport, attempt) => sendAttempt(purse, transport, keysOf(who), attempt),
          (i) => transportsAt(i + t),
        );
        for (const { path, right, wrong } of answers) {
          tried.reads += 1;
          if (TRACES.test(right.text + wrong.text)) leaks.push(`${path} of ${target.className} shows it`);
          if (right.status !== wrong.status || right.text !== wrong.text)
            leaks.push(`${path} of ${target.className} tells it`);
          if (right.status >= 500) leaks.push(`${path} of ${target.className} fails`);
        }
        for (const [title, ask] of casesOf(Object.entries(SERVICES), (_, i) => isTurn(who, i + offset))) {
          tried.reads += 1;
          const [right, wrong] = [
            await ask(target, keysOf(who), SECRET),
            await ask(target, keysOf(who), WRONG),
          ];
          if (
            TRACES.test(right.replaceAll(SECRET, "") + wrong.replaceAll(WRONG, "")) ||
            (right.includes(SECRET) && !wrong.includes(WRONG))
          )
            leaks.push(`${title} of ${target.className} shows it`);
          const isLimited = /"code": ?155/.test(right + wrong);
          if (!isLimited && right.replaceAll(SECRET, "?") !== wrong.replaceAll(WRONG, "?"))
            leaks.push(`${title} of ${target.className} tells it`);
        }
      }
      expect(leaks).toEqual([]);
    },
  );

  it.each(STRANGERS)("%s receives no events of objects of others", async (who) => {
    const socket = await openSocket(purse);
    const { _SessionToken: sessionToken, _MasterKey: masterKey } = keysOf(who).envelope;
    await socket.request({ op: "connect", applicationId: purse.appId, sessionToken, masterKey });
    const graphqlSocket = await subscribedGraphql(who);
    let requestId = 0;
    for (const { className, objectId } of targets) {
      const wheres: JsonObject[] = [{}, { objectId }];
      for (const where of wheres) {
        requestId += 1;
        if (socket.socket.readyState !== WebSocket.OPEN) continue;
        socket.socket.send(JSON.stringify({ op: "subscribe", requestId, query: { className, where } }));
        tried.reads += 1;
      }
    }
    // Answers to subscriptions come before those to a later ping.
    socket.socket.ping();
    await Promise.race([new Promise((resolve) => socket.socket.once("pong", resolve)), socket.closed]);
    for (const target of targets.filter(({ className }) => !/^_(ApiKey|Hooks|GlobalConfig)$/.test(className)))
      await rest(purse, "PUT", `/classes/${target.className}/${target.objectId}`, { touched: 1 }, MASTER);
    const touch = () =>
      rest(purse, "PUT", `/classes/Opened/${targetOf("Opened").objectId}`, { touched: 2 }, MASTER);
    await socket.receivedOps("Opened", touch);
    socket.socket.terminate();
    graphqlSocket.close();
    const text = JSON.stringify([socket.received, graphqlSocket.received]);
    expect(text).not.toMatch(TRACES);
    const ids = targets.map(({ objectId }) => objectId).filter((id) => id.length > 1);
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
  });

  /** Subscribes to the classes that GraphQL has. */
  async function subscribedGraphql(who: Stranger): Promise<{ received: string[]; close(): void }> {
    const socket = new WebSocket(`${purse.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const received: string[] = [];
    const acknowledged = new Promise((resolve) => {
      socket.on("message", (data) => resolve(received.push(String(data)))).on("close", resolve);
    });
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
    const payload = { "X-Parse-Application-Id": purse.appId, ...keysOf(who).headers };
    socket.send(JSON.stringify({ type: "connection_init", payload }));
    await acknowledged;
    for (const target of targets.filter(({ type }) => type !== undefined)) {
      tried.reads += 1;
      const text = `subscription { ${oneOf(target)}Changed { event node { objectId ${target.field} } } }`;
      if (socket.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify({ id: target.className, type: "subscribe", payload: { query: text } }));
    }
    return { received, close: () => socket.terminate() };
  }

  it.each(STRANGERS)("%s changes nothing of others on any way", async (who) => {
    const before = await stored();
    const keys = keysOf(who);
    const effects: string[] = [];
    for (const [t, target] of targets.entries()) {
      const changes = casesOf(
        [...CHANGES, ...operatorChanges()],
        (_, i) => isTurn(who, i + t * 3) || isTurn(who, i + t * 3 + 4),
      );
      for (const [i, [title, attempt]] of changes.entries()) {
        for (const transport of transportsAt(i + t)) {
          tried.changes += 1;
          const answer = await sendAttempt(purse, transport, keys, { ...attempt(target), codes: [] });
          const seen = `${transport}: ${title} of ${target.className}`;
          if (TRACES.test(answer.text)) effects.push(`${seen} shows it`);
          if (answer.status >= 500) effects.push(`${seen} fails`);
        }
      }
      for (const text of graphqlChanges(target)) {
        tried.changes += 1;
        if (TRACES.test(await graphql(text, keys))) effects.push(`${text} shows it`);
      }
    }
    for (const [method, path] of STREAM_CHANGES) {
      tried.changes += 1;
      const stream = {
        webhookUrl: "https://x.example/",
        chainIds: ["0x1"],
        includeNativeTxs: true,
        address: "0x",
      };
      const answer = await textOf(method, path, keys.headers, stream);
      if (!/requires the master key|unauthorized/.test(answer)) effects.push(`${method} ${path}: ${answer}`);
    }
    expect(effects).toEqual([]);
    expect(await stored()).toEqual(before);
    expect((await rest(purse, "POST", "/login", { username: ada.username, password: PASSWORD })).status).toBe(
      200,
    );
  });

  function graphqlChanges(target: Target): string[] {
    const { type, objectId, field } = target;
    if (type === undefined) return [];
    const result = `{ ${oneOf(target)} { objectId ${field} } }`;
    return [
      `mutation { update${type}(input: { id: "${objectId}", fields: { ${field}: "changed" } }) ${result} }`,
      `mutation { delete${type}(input: { id: "${objectId}" }) ${result} }`,
    ];
  }

  it.each(STRANGERS)("%s reaches no object of others by odd requests", async (who) => {
    const before = await stored();
    const effects: string[] = [];
    for (const [t, className] of ["Closed", "Opened"].entries()) {
      const target = targetOf(className);
      const requests = oddRequests({
        object: { ...target, type: className },
        owner: ada,
        holder: { className: holderClassOf(target), objectId: holders.get(className) ?? "" },
      });
      for (const [title, request] of casesOf(requests, (_, i) => isTurn(who, i + t * 3))) {
        tried.reads += 1;
        const { status, text } = await sendOdd(purse, keysOf(who).headers, request);
        if (TRACES.test(text) || text.includes("ada@example.org"))
          effects.push(`${title} shows ${className}`);
        if (status >= 500) effects.push(`${title} of ${className} fails`);
      }
    }
    expect(effects).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it("reach an object by some of the odd requests as its owner", async () => {
    const target = targetOf("Opened");
    const requests = oddRequests({
      object: { ...target, type: "Opened" },
      owner: ada,
      holder: { className: holderClassOf(target), objectId: holders.get("Opened") ?? "" },
    });
    const reached: string[] = [];
    for (const [title, request] of requests.filter(([, { method }]) => method !== "PUT")) {
      if (/change|deletion|update|transaction/.test(title)) continue;
      const { text } = await sendOdd(purse, { "X-Parse-Session-Token": ada.sessionToken }, request);
      if (TRACES.test(text)) reached.push(title);
    }
    expect(reached).toEqual(
      expect.arrayContaining([
        "a letter of its class encoded",
        "a slash at the end",
        "a batch of paths in many spellings",
        "a node",
        "a field in its global ID",
        "aliases and fragments",
        "GraphQL by GET",
      ]),
    );
  });

  it("a user whose role is named almost like another one does not have its objects", async () => {
    const { id } = eve;
    const { className, field } = targetOf("Opened");
    const ACL = { "role:operators": { read: true, write: true } };
    const objectId = await created(className, { [field]: SECRET, ACL });
    const users = { __op: "AddRelation", objects: [pointerTo({ className: "_User", objectId: id })] };
    for (const name of [
      "Operators",
      "operators ",
      " operators",
      "operators\u200b",
      "\uff4fperators",
      "role:operators",
    ]) {
      await rest(purse, "POST", "/roles", { name, ACL: { [id]: { read: true, write: true } }, users }, eve);
      const { status } = await rest(purse, "GET", `/classes/${className}/${objectId}`, undefined, eve);
      expect([name, status]).toEqual([name, 404]);
    }
    await rest(purse, "DELETE", `/classes/${className}/${objectId}`, undefined, MASTER);
  });

  it("a user who has been deleted reads and changes nothing", async () => {
    const { className, field } = targetOf("Opened");
    const objectId = await created(className, { [field]: SECRET }, bob);
    await rest(purse, "DELETE", `/users/${bob.id}`, undefined, MASTER);
    const attempts: [method: string, path: string, body?: JsonObject][] = [
      ["GET", `/classes/${className}/${objectId}`],
      ["GET", `/classes/${className}`],
      ["PUT", `/classes/${className}/${objectId}`, { [field]: "changed" }],
      ["DELETE", `/classes/${className}/${objectId}`],
      ["POST", `/classes/${className}`, { [field]: "planted" }],
      ["GET", "/users/me"],
      ["GET", "/sessions/me"],
      ["POST", "/upgradeToRevocableSession", {}],
    ];
    for (const [method, path, body] of attempts) {
      const answer = await rest(purse, method, path, body, bob);
      expect([method, path, answer.body.code]).toEqual([method, path, 209]);
    }
    await rest(purse, "DELETE", `/classes/${className}/${objectId}`, undefined, MASTER);
  });

  it("a read-only operator changes nothing of others by tools and routes", async () => {
    const before = await stored();
    for (const { className, objectId, field } of targets) {
      const call = (name: string, given: JsonObject): JsonObject => ({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: { className, objectId, ...given } },
      });
      for (const message of [
        call("update_object", { fields: { [field]: "changed" } }),
        call("delete_object", {}),
        call("create_object", { fields: { [field]: "planted" } }),
      ]) {
        tried.changes += 1;
        await textOf(
          "POST",
          "/mcp",
          { Accept: "application/json, text/event-stream", Authorization: `Bearer ${accessToken}` },
          message,
        );
      }
      for (const [method, path] of [
        ["PUT", `/data/${className}/rows/${objectId}`],
        ["DELETE", `/data/${className}/rows/${objectId}`],
        ["POST", `/data/${className}/rows`],
        ["DELETE", `/schema/classes/${className}`],
      ] as const) {
        tried.changes += 1;
        const { status } = await reader.request(method, path, { fields: { [field]: "changed" } });
        expect([method, path, status]).toEqual([method, path, expect.toBeOneOf([403, 404])]);
      }
    }
    expect(await stored()).toEqual(before);
  });

  it("have tried at least 300 ways", () => {
    expect(tried.reads).toBeGreaterThanOrEqual(300);
    expect(tried.changes).toBeGreaterThanOrEqual(300);
  });
});

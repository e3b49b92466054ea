import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import type { Purse } from "../support/purse.ts";
import type { Random } from "../support/random.ts";
import { ROUTES } from "./leaksRoutes.ts";

/** One kind of request: `run` rejects if the server fails (500), not if it refuses the request. */
export interface Kind {
  name: string;
  weight: number;
  run(): Promise<unknown>;
}

interface SendOptions {
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** The credentials of a request. */
type Identity = "nobody" | "anonymous" | "user" | "stale" | "master" | "readOnly";
const IDENTITIES: readonly Identity[] = ["nobody", "anonymous", "user", "stale", "master", "readOnly"];

export const READ_ONLY_KEY = "read-only-key-of-the-leaks";
const PASSWORD = "correct horse battery";

/** Fills the server with what the mix needs. `disconnect` closes the connections; the next requests open others. */
export async function prepareKinds(
  purse: Purse,
  random: Random,
): Promise<{ kinds: Kind[]; disconnect(): void }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  let unique = 0;
  const uniqueName = () => `x${(++unique).toString(36)}${randomBytes(4).toString("hex")}`;
  const pick = <T>(list: readonly T[]): T => random.pick(list);

  async function send(
    method: string,
    path: string,
    { body, headers = {} }: SendOptions = {},
  ): Promise<string> {
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        {
          agent,
          host: "127.0.0.1",
          port: purse.port,
          method,
          path,
          headers: { ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
    // 503 is expected from a busy image process or a missing chain.
    if (status === 500) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 200)}`);
    return text;
  }

  const app = { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json" };
  const master = { ...app, "X-Parse-Master-Key": purse.masterKey };
  const json = (method: string, path: string, value: object, headers: Record<string, string> = app) =>
    send(method, `/server${path}`, { body: JSON.stringify(value), headers });

  const username = uniqueName();
  const { sessionToken }: { sessionToken: string } = JSON.parse(
    await json("POST", "/users", { username, password: PASSWORD }),
  );
  const user = { ...app, "X-Parse-Session-Token": sessionToken };
  const headersOf = (identity: Identity): Record<string, string> => {
    switch (identity) {
      case "nobody":
        return { "Content-Type": "application/json" };
      case "anonymous":
        return { ...app, "X-Parse-Installation-Id": uniqueName() };
      case "user":
        return user;
      case "stale":
        return { ...app, "X-Parse-Session-Token": `r:${uniqueName()}` };
      case "master":
        return master;
      case "readOnly":
        return { ...app, "X-Parse-Master-Key": READ_ONLY_KEY };
    }
  };
  const ids: string[] = [];
  for (let n = 0; n < 200; n++) {
    ids.push(JSON.parse(await json("POST", "/classes/Row", { n, text: `row ${n}`, list: [n] })).objectId);
  }
  const query = (params: Record<string, unknown>) =>
    new URLSearchParams(
      Object.entries(params).map(([key, value]) => [
        key,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
  const find = (params: Record<string, unknown>, headers = app) =>
    send("GET", `/server/classes/Row?${query(params)}`, { headers });

  let lastChange: Promise<void> = Promise.resolve();
  const kinds: Kind[] = [
    {
      name: "every route, by everybody",
      weight: 40,
      run() {
        const [method, template] = pick(ROUTES);
        const path = template.replace(/\?(?=$|\/|&)/g, uniqueName);
        const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
        const body = pick([
          "{}",
          `{"${uniqueName()}":1}`,
          "[1]",
          "not JSON",
          JSON.stringify({ text: uniqueName() }),
        ]);
        // Does not create what operators create, which is persistent.
        const isCreate = /^\/server\/classes\/Row$/.test(path) && method === "POST";
        const headers = headersOf(isCreate ? "anonymous" : pick(IDENTITIES));
        return send(method, path, { headers, ...(hasBody && { body: isCreate ? '{"n":1}' : body }) });
      },
    },
    { name: "get", weight: 6, run: () => send("GET", `/server/classes/Row/${pick(ids)}`, { headers: user }) },
    {
      name: "find by new values",
      weight: 6,
      run: () => find({ where: { text: uniqueName(), n: { $gt: unique } }, order: "-createdAt", limit: "5" }),
    },
    {
      name: "find by new shapes",
      weight: 6,
      run: () =>
        find({
          where: { $or: [{ [uniqueName()]: 1 }, { [uniqueName()]: { $regex: `^${uniqueName()}` } }] },
          keys: uniqueName(),
          order: uniqueName(),
        }),
    },
    {
      name: "find with inner queries and includes",
      weight: 3,
      run: () =>
        find({
          where: { n: { $inQuery: { className: uniqueName(), where: {} } } },
          include: uniqueName(),
          count: "1",
        }),
    },
    {
      name: "aggregate of new shapes",
      weight: 2,
      run: () =>
        send("GET", `/server/aggregate/Row?${query({ pipeline: [{ $match: { [uniqueName()]: 1 } }] })}`, {
          headers: master,
        }),
    },
    {
      name: "create, change, delete",
      weight: 6,
      async run() {
        const { objectId } = JSON.parse(
          await json("POST", "/classes/Row", { n: unique, text: uniqueName() }, user),
        );
        await json("PUT", `/classes/Row/${objectId}`, { n: { __op: "Increment", amount: 1 } }, user);
        await send("DELETE", `/server/classes/Row/${objectId}`, { headers: user });
      },
    },
    {
      name: "new classes and fields",
      weight: 1,
      run: () => json("POST", `/classes/${uniqueName()}`, { [uniqueName()]: 1 }),
    },
    {
      name: "batch",
      weight: 2,
      run: () =>
        json("POST", "/batch", {
          requests: [
            { method: "GET", path: `/server/classes/Row/${pick(ids)}` },
            { method: "POST", path: `/server/functions/${uniqueName()}`, body: {} },
            { method: "PUT", path: `/server/classes/Row/${pick(ids)}`, body: { n: unique } },
          ],
        }),
    },
    {
      name: "request that is sent twice",
      weight: 2,
      async run() {
        const headers = { ...app, "X-Parse-Request-Id": uniqueName() };
        await json("POST", "/functions/getServerTime", {}, headers);
        await json("POST", "/functions/getServerTime", {}, headers);
      },
    },
    {
      name: "function of the cloud code",
      weight: 4,
      run: () => json("POST", "/functions/hello", { name: uniqueName() }),
    },
    {
      name: "settings, hooks and classes of the operator",
      weight: 1,
      // One after the other: two operators who delete one class at once are not what is measured here.
      run: () => (lastChange = lastChange.then(changeSettings, changeSettings)),
    },
    {
      name: "sign-up, log-in and log-out",
      weight: 0.15,
      async run() {
        const name = uniqueName();
        await json("POST", "/users", { username: name, password: PASSWORD });
        const answer = JSON.parse(await json("POST", "/login", { username: name, password: PASSWORD }));
        await json("POST", "/logout", {}, { ...app, "X-Parse-Session-Token": String(answer.sessionToken) });
      },
    },
    {
      name: "log-in of nobody",
      weight: 0.15,
      run: () => json("POST", "/login", { username: uniqueName(), password: uniqueName() }),
    },
    {
      name: "installation",
      weight: 1,
      run: () => json("POST", "/installations", { deviceType: "ios", installationId: uniqueName() }),
    },
    {
      name: "file up, down and deleted",
      weight: 2,
      async run() {
        const body = randomBytes(2_000);
        const upload = { ...user, "Content-Type": "application/octet-stream" };
        const isIpfs = unique % 20 === 0;
        const saved = JSON.parse(
          await send("POST", `/server/files/${uniqueName()}.bin`, {
            body,
            headers: { ...upload, ...(isIpfs && { "X-Parse-File-IPFS": "true" }) },
          }),
        );
        await send("GET", new URL(saved.url).pathname, {
          headers: pick<Record<string, string>>([{}, { Range: "bytes=5-9" }, { "If-None-Match": "*" }]),
        });
        if (saved.hash) {
          await send("GET", `/ipfs/${saved.hash}?filename=${uniqueName()}.js`);
          await send("GET", `/ipfs/${saved.hash}?width=64`);
          await send("DELETE", `/server/ipfs/pins/${saved.hash}`, { headers: master });
        }
        await send("DELETE", `/server/files/${saved.name}`, { headers: master });
      },
    },
    {
      name: "file of old clients",
      weight: 1,
      run: () =>
        json(
          "POST",
          `/files/${uniqueName()}.txt`,
          {
            _ApplicationId: purse.appId,
            _SessionToken: sessionToken,
            base64: "aGVsbG8=",
          },
          { "Content-Type": "text/plain" },
        ),
    },
    {
      name: "resumable upload that is begun and deleted",
      weight: 1,
      async run() {
        const headers = { ...user, "Tus-Resumable": "1.0.0" };
        const metadata = `filename ${Buffer.from("a.bin").toString("base64")}`;
        const url = await location(`/server/files/resumable`, {
          ...headers,
          "Upload-Length": "100",
          "Upload-Metadata": metadata,
        });
        if (url !== undefined) await send("DELETE", new URL(url).pathname, { headers });
      },
    },
    { name: "upload that breaks off", weight: 1, run: () => abortRequest("/server/files/broken.bin", user) },
    { name: "request that breaks off", weight: 1, run: () => abortRequest("/server/classes/Row", app) },
    { name: "live query that comes and goes", weight: 2, run: openLiveQuery },
  ];

  async function changeSettings(): Promise<void> {
    const n = unique % 5;
    await json("PUT", "/config", { params: { [`key${n}`]: uniqueName() } }, master);
    const hook = { functionName: `hook${n}`, url: "https://hooks.example/x" };
    await json("POST", "/hooks/functions", hook, master);
    await send("DELETE", `/server/hooks/functions/hook${n}`, { headers: master });
    await json("POST", `/schemas/Operator${n}`, { className: `Operator${n}` }, master);
    await send("DELETE", `/server/schemas/Operator${n}`, { headers: master });
  }

  async function location(path: string, headers: Record<string, string>): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host: "127.0.0.1", port: purse.port, method: "POST", path, headers });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.headers.location);
      });
      sent.on("error", reject).end();
    });
  }

  /** Sends less than its Content-Length, and closes the connection. */
  async function abortRequest(path: string, headers: Record<string, string>): Promise<void> {
    const sent = request({ host: "127.0.0.1", port: purse.port, method: "POST", path, agent: false });
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    sent.setHeader("Content-Length", 1_000);
    sent.on("error", () => undefined);
    await new Promise<void>((done) => sent.write("abc", () => done()));
    sent.destroy();
  }

  async function openLiveQuery(): Promise<void> {
    const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
    const closed = new Promise((done) => socket.on("close", done));
    let answers = 0;
    socket.on("error", () => undefined);
    socket.on("message", () => {
      if (++answers === 4) socket.close();
    });
    socket.on("open", () => {
      const where = { text: { $regex: `^${uniqueName()}` }, [uniqueName()]: 1 };
      const query = { className: "Row", where };
      for (const message of [
        { op: "connect", applicationId: purse.appId, installationId: uniqueName() },
        { op: "subscribe", requestId: 1, query },
        {
          op: "subscribe",
          requestId: 2,
          query: { className: uniqueName(), where: {} },
          sessionToken: uniqueName(),
        },
        { op: "unsubscribe", requestId: 1 },
      ]) {
        socket.send(JSON.stringify(message));
      }
    });
    await closed;
  }

  return { kinds, disconnect: () => agent.destroy() };
}

import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import type { Purse } from "../support/purse.ts";
import type { Random } from "../support/random.ts";

const ROWS = 2_000;
const GROUPS = 50;
const USERS = 20;
const PASSWORD = "correct horse";
/** After this time an event counts as lost, in ms. */
const EVENT_TIMEOUT_MS = 15_000;
const FILE = randomBytes(64 * 1024);

/** A user action. */
export interface Step {
  name: string;
  /** Rejects if the response is not as expected. */
  run(): Promise<unknown>;
}

export interface Load {
  /** A random step by the weights of the mix. */
  next(): Step;
  /** The delays from saves to their events in ms since the last call, and the number of lost events. */
  events(): { delays: number[]; lost: number };
  close(): void;
}

interface Reply {
  status: number;
  body: Buffer;
  headers: Record<string, string | string[] | undefined>;
}

/** Creates the test data and opens the live queries. */
export async function prepareLoad(purse: Purse, random: Random): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const pending = new Map<number, number>();
  let delays: number[] = [];
  let lost = 0;
  let count = 0;

  function call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: Buffer | string; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          host: "127.0.0.1",
          port: purse.port,
          method,
          path: `/server${path}`,
          headers: {
            "X-Parse-Application-Id": purse.appId,
            ...(body !== undefined && {
              "Content-Type": "application/json",
              "Content-Length": Buffer.byteLength(body),
            }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              body: Buffer.concat(chunks),
              headers: response.headers,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async function expectOk(what: string, pendingReply: Promise<Reply>, expectedText = ""): Promise<string> {
    const { status, body } = await pendingReply;
    const text = body.toString("utf8");
    if (status >= 200 && status < 300 && text.includes(expectedText)) return text;
    throw new Error(`${what} answered ${status}: ${text.slice(0, 120)}`);
  }

  const json = (value: object) => ({ body: JSON.stringify(value) });
  const randomInt = (max: number) => random.integerBelow(max);

  const ids: string[] = [];
  for (let at = 0; at < ROWS; at += 50) {
    const requests = Array.from({ length: 50 }, (_, i) => ({
      method: "POST",
      path: "/server/classes/Row",
      body: {
        group: (at + i) % GROUPS,
        n: -1,
        title: `Row ${at + i}`,
        ACL: { "*": { read: true, write: true } },
      },
    }));
    const created: { success: { objectId: string } }[] = JSON.parse(
      await expectOk("filling", call("POST", "/batch", json({ requests }))),
    );
    ids.push(...created.map(({ success }) => success.objectId));
  }
  const session = { "X-Parse-Session-Token": "" };
  for (let i = 0; i < USERS; i++) {
    const user = { username: `soak${i}`, password: PASSWORD };
    const { sessionToken } = JSON.parse(await expectOk("sign-up", call("POST", "/users", json(user))));
    session["X-Parse-Session-Token"] = sessionToken;
  }
  const sockets = await Promise.all(
    Array.from({ length: GROUPS }, (_, group) =>
      subscribeToGroup(purse, group, (n) => {
        const sentAt = pending.get(n);
        if (sentAt === undefined) return;
        pending.delete(n);
        delays.push(performance.now() - sentAt);
      }),
    ),
  );

  const steps: (Step & { weight: number })[] = [
    {
      name: "get",
      weight: 40,
      run: () => expectOk("get", call("GET", `/classes/Row/${ids[randomInt(ROWS)]}`), '"title"'),
    },
    {
      name: "query of 20",
      weight: 20,
      run() {
        const where = encodeURIComponent(JSON.stringify({ group: randomInt(GROUPS) }));
        return expectOk(
          "query",
          call("GET", `/classes/Row?where=${where}&limit=20`, { headers: session }),
          '"n"',
        );
      },
    },
    {
      name: "update, followed by a live query",
      weight: 10,
      async run() {
        const n = ++count;
        pending.set(n, performance.now());
        try {
          await expectOk(
            "update",
            call("PUT", `/classes/Row/${ids[randomInt(ROWS)]}`, json({ n })),
            '"updatedAt"',
          );
        } catch (error) {
          pending.delete(n);
          throw error;
        }
      },
    },
    {
      name: "create",
      weight: 10,
      run: () => expectOk("create", call("POST", "/classes/Entry", json({ n: randomInt(9) })), '"objectId"'),
    },
    {
      name: "function",
      weight: 12,
      run: () => expectOk("function", call("POST", "/functions/hello", json({ name: "Ada" })), "Hello, Ada"),
    },
    {
      name: "login and logout",
      weight: 1,
      async run() {
        const user = { username: `soak${randomInt(USERS)}`, password: PASSWORD };
        const { sessionToken } = JSON.parse(await expectOk("login", call("POST", "/login", json(user))));
        const headers = { "X-Parse-Session-Token": sessionToken };
        await expectOk("log-out", call("POST", "/logout", { body: "{}", headers }));
      },
    },
    {
      name: "64 KiB up, down and deleted",
      weight: 3,
      async run() {
        const headers = { ...session, "Content-Type": "application/octet-stream" };
        const { name } = JSON.parse(
          await expectOk("upload", call("POST", "/files/soak.bin", { body: FILE, headers })),
        );
        const { status, body } = await call("GET", `/files/${purse.appId}/${name}`);
        if (status !== 200 || !body.equals(FILE)) throw new Error(`download answered ${status}`);
        const master = { "X-Parse-Master-Key": purse.masterKey };
        await expectOk("deleting a file", call("DELETE", `/files/${name}`, { headers: master }));
      },
    },
  ];
  const total = steps.reduce((sum, { weight }) => sum + weight, 0);

  return {
    next() {
      let left = random.next() * total;
      const chosen = steps.find(({ weight }) => {
        left -= weight;
        return left < 0;
      });
      if (!chosen) throw new Error("There is nothing to do");
      return chosen;
    },
    events() {
      const now = performance.now();
      for (const [n, sentAt] of pending) {
        if (now - sentAt < EVENT_TIMEOUT_MS) continue;
        pending.delete(n);
        lost++;
      }
      const result = { delays, lost };
      delays = [];
      lost = 0;
      return result;
    },
    close() {
      for (const socket of sockets) socket.terminate();
      agent.destroy();
    },
  };
}

/** Subscribes to the updates of a group. Throws Error if the subscription is refused. */
async function subscribeToGroup(
  purse: Purse,
  group: number,
  onUpdate: (n: number) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"), { perMessageDeflate: false });
  await new Promise((open, fail) => socket.once("open", open).once("error", fail));
  const query = { className: "Row", where: { group }, fields: ["n"] };
  for (const [message, answer] of [
    [{ op: "connect", applicationId: purse.appId }, "connected"],
    [{ op: "subscribe", requestId: 1, query }, "subscribed"],
  ] as const) {
    socket.send(JSON.stringify(message));
    const response = await new Promise<string>((done) =>
      socket.once("message", (data) => done(data.toString())),
    );
    if (JSON.parse(response).op !== answer) throw new Error(`The live query was answered: ${response}`);
  }
  socket.on("message", (data) => {
    const { op, object }: { op: string; object?: { n?: number } } = JSON.parse(data.toString());
    if (op === "update" && object?.n !== undefined) onUpdate(object.n);
  });
  return socket;
}

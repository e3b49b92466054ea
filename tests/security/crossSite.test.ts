import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openSocket } from "../support/liveClient.ts";
import { type Purse, rest, signUp, startPurse } from "../support/purse.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
/** What browsers send with requests of a page at another origin, or of another site below the same domain. */
const FOREIGN: Record<string, string>[] = [
  { Origin: "https://evil.example" },
  { Origin: "null" },
  { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "websocket" },
  { Origin: "https://evil.example", "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" },
];

let purse: Purse;
let owner: StudioClient;
let user: { id: string; sessionToken: string };
beforeAll(async () => {
  purse = await startPurse();
  owner = await setUpStudio(purse);
  user = await signUp(purse);
  await rest(purse, "POST", "/classes/Diary", { ACL: { [user.id]: { read: true } } }, MASTER);
});
afterAll(() => purse?.remove());

/** Every cookie that a browser could hold for this server, and some that it could be made to hold. */
const cookies = () =>
  [
    owner.cookie,
    `sessionToken=${user.sessionToken}`,
    `X-Parse-Session-Token=${user.sessionToken}`,
    `_SessionToken=${user.sessionToken}`,
    `masterKey=${purse.masterKey}`,
  ].join("; ");

describe("a socket that a page of another site opens", () => {
  it.each(FOREIGN)("is nobody's, whatever cookies the browser sends along: %j", async (headers) => {
    const {
      socket,
      request: ask,
      receivedOps: quiet,
    } = await openSocket(purse, { ...headers, Cookie: cookies() });
    const connect = { op: "connect", applicationId: purse.appId };
    expect(await ask(connect)).toMatchObject({ op: "connected" });
    const subscribe = (requestId: number, className: string) =>
      ask({ op: "subscribe", requestId, query: { className, where: {} } });
    expect(await subscribe(1, "Diary")).toMatchObject({ op: "subscribed" });
    // What only the operator may follow is refused.
    expect(await subscribe(2, "_Installation")).toMatchObject({ op: "error" });
    await rest(purse, "POST", "/classes/Diary", { ACL: { [user.id]: { read: true } } }, MASTER);
    expect(await quiet("Diary")).toEqual([]);
    socket.terminate();
  });

  it("leads nowhere but to live queries", async () => {
    for (const path of [
      "/studio/api/logs/tail",
      "/studio/api",
      "/api/v2",
      "/server/classes/Diary",
      "/ipfs",
    ]) {
      const socket = new WebSocket(`${purse.url.replace(/^http/, "ws")}${path}`, {
        headers: { Cookie: cookies() },
      });
      const outcome = await new Promise((resolve) => {
        socket.on("open", () => resolve("open"));
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
        socket.on("error", () => resolve("refused"));
      });
      expect([path, outcome]).toEqual([path, 404]);
    }
  });
});

describe("an event stream of the studio", () => {
  const STREAMS = ["/logs/tail", "/data/Diary/live?where=%7B%7D"];
  const open = (path: string, headers: Record<string, string>) => {
    const leave = new AbortController();
    const answered = fetch(`${purse.url}/studio/api${path}`, { headers, signal: leave.signal });
    return answered.then((response) => ({ response, leave }));
  };

  it.each(STREAMS)("opens for pages of the studio: %s", async (path) => {
    const own: Record<string, string>[] = [{}, { "Sec-Fetch-Site": "same-origin" }, { Origin: purse.url }];
    for (const headers of own) {
      const { response, leave } = await open(path, { ...headers, Cookie: String(owner.cookie) });
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      // Scripts of other pages do not get to read it.
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      leave.abort();
    }
  });

  it.each(STREAMS)("is closed to pages of other sites with the operator's cookie: %s", async (path) => {
    for (const headers of FOREIGN) {
      const { response } = await open(path, { ...headers, Cookie: cookies() });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        403,
        expect.stringContaining("application/json"),
      ]);
      await response.text();
    }
  });

  it.each(STREAMS)("is closed without a cookie, and with one of an app's user: %s", async (path) => {
    for (const Cookie of ["", `purse-studio=${user.sessionToken}`]) {
      const { response } = await open(path, { Cookie });
      expect(response.status).toBe(401);
      await response.text();
    }
  });
});

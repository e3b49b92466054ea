import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
/** Headers of requests from pages of another origin or of another site of the same domain. */
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
  purse = await hostPurse();
  owner = await setUpStudio(purse);
  user = await signUp(purse);
  await rest(purse, "POST", "/classes/Diary", { ACL: { [user.id]: { read: true } } }, MASTER);
});
afterAll(() => purse?.remove());

/** Cookies that a browser could have for this server, also planted ones. */
const cookies = () =>
  [
    owner.cookie,
    `sessionToken=${user.sessionToken}`,
    `X-Parse-Session-Token=${user.sessionToken}`,
    `_SessionToken=${user.sessionToken}`,
    `masterKey=${purse.masterKey}`,
  ].join("; ");

describe("a WebSocket opened by a page of another site", () => {
  it.each(FOREIGN)("is anonymous, whatever cookies the browser sends: %j", async (headers) => {
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
    // Classes for the master key only are rejected.
    expect(await subscribe(2, "_Installation")).toMatchObject({ op: "error" });
    await rest(purse, "POST", "/classes/Diary", { ACL: { [user.id]: { read: true } } }, MASTER);
    expect(await quiet("Diary")).toEqual([]);
    socket.terminate();
  });

  it("connects to live queries only", async () => {
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
      // Scripts of other origins cannot read it.
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      leave.abort();
    }
  });

  it.each(STREAMS)("is rejected with 403 for pages of other sites: %s", async (path) => {
    for (const headers of FOREIGN) {
      const { response } = await open(path, { ...headers, Cookie: cookies() });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        403,
        expect.stringContaining("application/json"),
      ]);
      await response.text();
    }
  });

  it.each(STREAMS)("is rejected with 401 without the cookie of an operator: %s", async (path) => {
    for (const Cookie of ["", `purse-studio=${user.sessionToken}`]) {
      const { response } = await open(path, { Cookie });
      expect(response.status).toBe(401);
      await response.text();
    }
  });
});

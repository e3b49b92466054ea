/*
 * Measures one client for `npm run bench:client`: prints its times and memory as JSON.
 *   node --expose-gc bench/src/clientWork.ts purse|parse|moralis 10000
 */
import { createRequire } from "node:module";

const [name = "", count = "10000"] = process.argv.slice(2);
const COUNT = Number(count);
const WARM_UPS = 2;
const require = createRequire(new URL("../../tests/interop/package.json", import.meta.url));

/** The common API of the clients. */
interface ObjectApi {
  fromJSON(json: object): Subject;
  saveAll(list: Subject[]): Promise<unknown>;
}
interface Subject {
  id: string | undefined;
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
  increment(key: string): unknown;
  addUnique(key: string, item: unknown): unknown;
  toJSON(): object;
}

/** An in-memory server: returns the response text of a batch. */
function respond(body: string): string {
  const { requests }: { requests: { body: Record<string, unknown> }[] } = JSON.parse(body);
  const updatedAt = "2026-01-02T00:00:00.000Z";
  return JSON.stringify(requests.map(() => ({ success: { updatedAt, likes: 8, tags: ["a", "b", "new"] } })));
}

const OK = { status: 200, headers: new Headers() };

async function objectsOf(client: string): Promise<ObjectApi> {
  if (client === "purse") {
    const { Moralis } = createRequire(import.meta.url)("@purse/client");
    await Moralis.start({
      serverUrl: "http://127.0.0.1/server",
      appId: "bench",
      plugins: [],
      // Replaces the HTTP request, as with the others.
      fetch: async (_: string, { body }: { body: string }) => ({ ...OK, text: async () => respond(body) }),
    });
    return Moralis.Object;
  }
  const Their = require(client === "parse" ? "parse/node" : "moralis/node");
  const core = client === "parse" ? Their.CoreManager : require("moralis/lib/node/CoreManager");
  Their.initialize("bench");
  Their.serverURL = "http://127.0.0.1/server";
  // Replaces the HTTP request, so that serialization is measured.
  core.getRESTController().ajax = async (_: string, __: string, body: string) => ({
    response: JSON.parse(respond(body)),
    status: 200,
    headers: {},
  });
  return Their.Object;
}

function wireText(at: number): string {
  return JSON.stringify({
    className: "Post",
    objectId: `post${at}`,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    title: `Post number ${at}`,
    text: "Some lines of text, as people write them. ".repeat(4),
    likes: 7,
    public: at % 2 === 0,
    due: { __type: "Date", iso: "2026-05-05T05:05:05.555Z" },
    place: { __type: "GeoPoint", latitude: at % 90, longitude: at % 180 },
    paper: { __type: "File", name: "a.txt", url: "http://127.0.0.1/a.txt" },
    author: { __type: "Pointer", className: "_User", objectId: `user${at % 100}` },
    tags: ["a", "b"],
    meta: { source: "bench", depth: { level: 2 } },
    ACL: { "*": { read: true }, [`user${at % 100}`]: { read: true, write: true } },
  });
}

const FIELDS = ["title", "text", "likes", "public", "due", "place", "paper", "author", "tags", "meta"];

const api = await objectsOf(name);
const texts = Array.from({ length: COUNT }, (_, at) => wireText(at));
const times: Record<string, number> = {};

for (let i = 0; i <= WARM_UPS; i++) await round();
console.log(JSON.stringify(times));
process.exit(0);

async function round(): Promise<void> {
  // Lets the previous round's cleanup finish.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = heapBytes();
  const objects = await timed("decode", () => texts.map((text) => api.fromJSON(JSON.parse(text))));
  times.bytes = (heapBytes() - before) / COUNT;
  await timed("read", () => {
    for (const object of objects) for (const field of FIELDS) object.get(field);
  });
  await timed("encode", () =>
    objects.reduce((sum, object) => sum + JSON.stringify(object.toJSON()).length, 0),
  );
  await timed("change", () => {
    for (const object of objects) {
      object.set("title", "Another title");
      object.increment("likes");
      object.addUnique("tags", "new");
    }
  });
  await timed("save", () => api.saveAll(objects));
  if (objects[0]?.get("likes") !== 8) throw new Error(`${name} did not save`);
}

/** The last round counts: by then the code is compiled. */
async function timed<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  const before = cpuTimeMs();
  const done = await work();
  times[what] = cpuTimeMs() - before;
  return done;
}

/** CPU time of this thread in ms. */
function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

// The physical limit: node:http and better-sqlite3 with fsync'd group commit, and nothing else. No auth, no protocol.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from "node:worker_threads";

const Database = createRequire(new URL("../../package.json", import.meta.url))("better-sqlite3");

if (isMainThread) main();
else writer();

function writer() {
  const db = new Database(workerData.file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE IF NOT EXISTS Row (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, n INTEGER, doc TEXT)");
  const insert = db.prepare("INSERT INTO Row (id, n, doc) VALUES (?, ?, ?)");
  parentPort.on("message", (first) => {
    const jobs = [...first];
    for (let next = receiveMessageOnPort(parentPort); next; next = receiveMessageOnPort(parentPort))
      jobs.push(...next.message);
    db.exec("BEGIN");
    for (const job of jobs) for (const row of job.rows) insert.run(row.id, row.n, row.doc);
    db.exec("COMMIT");
    parentPort.postMessage(jobs.map((job) => job.job));
  });
  parentPort.postMessage([]);
}

async function main() {
  const [file, port] = process.argv.slice(2);
  const worker = new Worker(new URL(import.meta.url), { workerData: { file } });
  const waiting = new Map();
  let pending = [];
  let next = 1;
  await new Promise((resolve) => worker.once("message", resolve));
  worker.on("message", (done) => {
    for (const job of done) {
      waiting.get(job)();
      waiting.delete(job);
    }
  });
  const write = (rows) =>
    new Promise((resolve) => {
      const job = next++;
      waiting.set(job, resolve);
      pending.push({ job, rows });
      if (pending.length > 1) return;
      setImmediate(() => {
        worker.postMessage(pending);
        pending = [];
      });
    });
  const db = new Database(file, { readonly: true });
  const get = db.prepare("SELECT doc FROM Row WHERE id = ?").pluck();
  const find = db.prepare("SELECT doc FROM Row WHERE json_extract(doc, '$.open') = 1 LIMIT 100").pluck();
  let ids = 0;
  const rowOf = (object) => {
    const id = `id${(++ids).toString().padStart(8, "0")}`;
    return {
      id,
      n: object.n ?? 0,
      doc: JSON.stringify({ objectId: id, createdAt: new Date().toISOString(), ...object }),
    };
  };
  createServer((request, response) => {
    const reply = (body, status = 200) => {
      response.writeHead(status, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    };
    if (request.method === "GET") {
      if (request.url === "/find") return reply(`{"results":[${find.all().join()}]}`);
      const doc = get.get(request.url.slice(5));
      return reply(doc ?? "{}", doc ? 200 : 404);
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
      if (request.url === "/function") return reply(`{"result":"Hello, ${body.name}"}`);
      const rows = (Array.isArray(body.rows) ? body.rows : [body]).map(rowOf);
      await write(rows);
      reply(JSON.stringify({ objectId: rows[0].id }), 201);
    });
  }).listen(Number(port), "127.0.0.1", () => console.log("ready"));
}

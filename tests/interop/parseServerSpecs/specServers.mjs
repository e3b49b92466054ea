// Part of the process that runs the specs: starts Purse processes, and stands before the current one at the specs' port.
import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startPurse } from "../../support/purse.ts";
import { definitionsMade, isTakingMail, takenMails } from "./specFunctions.mjs";

/** The path of the API that the specs ask, such as "/1". */
let mount;
let current;
/** How often the specs have sent or started something. */
let contacts = 0;
/** Answers requests that are none of the API; returns whether it did. */
let answerItself = () => false;

/** Grows with each request, socket and start of a server. */
export function serverContacts() {
  return contacts;
}

async function newDatabase() {
  const base = process.env.SPECS_DATABASE_URL;
  if (base === undefined) return {};
  const name = `specs_${randomBytes(6).toString("hex")}`;
  const sql = postgres(base, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  const url = new URL(base);
  url.pathname = `/${name}`;
  return { PURSE_DATABASE_URL: url.href, PURSE_DATABASE_CONNECTIONS: "4" };
}

/**
 * Starts a Purse process.
 * @param options its configuration, encoded
 * @param previous a stopped process whose data it goes on with
 * @param cloud a file with cloud code, beside that of the specs
 */
export async function startServer(options, channelPort, previous, cloud) {
  contacts++;
  const id = randomBytes(6).toString("hex");
  const dataDir = previous?.dataDir ?? mkdtempSync(join(tmpdir(), "purse-specs-"));
  const database = previous?.database ?? (await newDatabase());
  const file = join(dataDir, "options.json");
  writeFileSync(file, JSON.stringify(options));
  const purse = await startPurse({
    dataDir,
    env: {
      ...database,
      PURSE_APP_ID: options.appId,
      PURSE_MASTER_KEY: options.masterKey,
      PURSE_CONFIG: join(import.meta.dirname, "purseConfig.mjs"),
      PURSE_CLOUD: join(import.meta.dirname, "purseCloud.mjs"),
      PURSE_LOG_LEVEL: options.logLevel ?? "warn",
      SPECS_OPTIONS: file,
      ...(cloud !== undefined && { SPECS_CLOUD: cloud }),
      SPECS_SERVER: id,
      SPECS_CHANNEL: `ws://127.0.0.1:${channelPort}`,
    },
  });
  return {
    id,
    dataDir,
    database,
    port: purse.port,
    /** Whether requests were sent whose ids it remembers. */
    hasRequestIds: false,
    sendsMails: options.mail !== undefined,
    verifiesUsers: Boolean(options.verifyUserEmails),
    stop: () => purse.stop(),
    remove: () => purse.remove(),
  };
}

/** Passes requests to a server, or to the one that a function starts for the first of them. */
export function useProxyFor(server) {
  current = server;
}

async function currentServer() {
  return typeof current === "function" ? await current() : current;
}

function pathOf(url) {
  const isApi = url === "/" || (url.startsWith(mount) && /^(?:$|[/?])/.test(url.slice(mount.length)));
  return isApi ? `/server${url === "/" ? "" : url.slice(mount.length)}` : url;
}

/** Requests that may send a mail. Parse Server calls its adapter before it answers, Purse sends mails afterwards. */
const ASKS_FOR_MAIL = /^POST .*\/(?:requestPasswordReset|verificationEmailRequest|resend_verification_email)/;
const SAVES_USER = /^(?:POST|PUT) .*\/(?:users|classes\/_User)/;
const MAIL_WAIT_MS = 2_000;

function mayMail({ sendsMails, verifiesUsers }, request) {
  // Taking a mail finds its user, by a POST as the SDK sends queries.
  return (
    sendsMails &&
    !isTakingMail() &&
    (ASKS_FOR_MAIL.test(request) || (verifiesUsers && SAVES_USER.test(request)))
  );
}

/** Waits until a mail has been taken after the first `before` ones, or none has come. */
async function mailTaken(before) {
  const deadline = Date.now() + MAIL_WAIT_MS;
  while (takenMails() === before && (Date.now() < deadline || isTakingMail()))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Requests that have not been answered yet, and what waits for their answers. */
let pendingRequests = 0;
let waiting = [];
const EVENT_WAIT_MS = 200;

/** Waits until all requests have been answered: Parse Server sends events of live queries after it has answered. */
async function requestsAnswered() {
  if (pendingRequests === 0) return;
  await Promise.race([
    new Promise((resolve) => waiting.push(resolve)),
    new Promise((resolve) => setTimeout(resolve, EVENT_WAIT_MS)),
  ]);
  // The client reads the answer first.
  await new Promise((resolve) => setTimeout(resolve, 1));
}

function requestAnswered() {
  if (--pendingRequests > 0) return;
  for (const resume of waiting) resume();
  waiting = [];
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function forward(request, response) {
  contacts++;
  pendingRequests++;
  response.on("close", requestAnswered);
  const server = await currentServer();
  await definitionsMade();
  if (server === undefined) return void request.socket.destroy();
  if (answerItself(request, response)) return;
  if (request.headers["x-parse-request-id"] !== undefined) server.hasRequestIds = true;
  let { headers } = request;
  let body;
  const { method, url } = request;
  let sendsMail = mayMail(server, `${method} ${url}`);
  if (sendsMail) {
    body = await bodyOf(request);
    // The SDK reads users by such requests, too.
    sendsMail = !body.includes('"_method":"GET"');
  } else if (url.startsWith(`${mount}/batch`)) {
    // The paths of the single requests name the mount path, too.
    const paths = new RegExp(`("path"\\s*:\\s*"(?:https?:[^"]*?)?)${mount}/`, "g");
    body = Buffer.from((await bodyOf(request)).toString().replace(paths, "$1/server/"));
  }
  if (body !== undefined) {
    const { "transfer-encoding": _, ...others } = headers;
    headers = { ...others, "content-length": String(body.length) };
  }
  server.agent ??= new http.Agent({ keepAlive: true });
  const mails = sendsMail ? takenMails() : undefined;
  const onward = http.request(
    { host: "127.0.0.1", port: server.port, method, path: pathOf(url), headers, agent: server.agent },
    async (answer) => {
      if (mails !== undefined) await mailTaken(mails);
      await pass(answer, response);
    },
  );
  onward.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  if (body) onward.end(body);
  else request.pipe(onward);
}

/** URLs, and the paths in lines of the log. */
function withMount(text) {
  return text.replaceAll(/(http:\/\/localhost:\d+|"url":"|\[[A-Z]+\] )\/server\//g, `$1${mount}/`);
}

/** Passes an answer on; URLs of the server get the path that the specs know. */
async function pass(answer, response) {
  const type = answer.headers["content-type"] ?? "";
  const { location } = answer.headers;
  if (location !== undefined) answer.headers.location = withMount(location);
  if (!/^(?:application\/json|text\/plain)/.test(type) || answer.headers["content-encoding"]) {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    return;
  }
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  // Files of that type may have any bytes.
  const body = Buffer.from(text).equals(bytes) ? withMount(text) : bytes;
  const { "content-length": length, ...headers } = answer.headers;
  const isHead = length !== undefined && text === "";
  response.writeHead(answer.statusCode, {
    ...headers,
    "content-length": isHead ? length : Buffer.byteLength(body),
  });
  response.end(body);
}

/** Live queries. */
async function forwardSocket(request, socket, head) {
  contacts++;
  const server = await currentServer();
  await definitionsMade();
  if (server === undefined) return void socket.destroy();
  const onward = net.connect(server.port, "127.0.0.1", () => {
    const lines = [];
    for (let i = 0; i < request.rawHeaders.length; i += 2)
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
    onward.write(`GET ${pathOf(request.url)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    onward.write(head);
    let sent = Promise.resolve();
    onward.on("data", (data) => {
      sent = sent.then(requestsAnswered).then(() => socket.write(data));
    });
    onward.on("end", () => void sent.then(() => socket.end()));
    socket.pipe(onward);
  });
  onward.on("error", () => socket.destroy());
  socket.on("error", () => onward.destroy());
}

/**
 * Listens on the port that the specs ask. It does not keep the process alive.
 * @param path the path of the API that they ask
 * @param answer answers requests that are none of the API, and returns whether it did
 */
export function listenForSpecs(port, path, answer = () => false) {
  mount = path;
  answerItself = answer;
  const proxy = http.createServer(forward);
  proxy.on("upgrade", forwardSocket);
  proxy.on("connection", (socket) => socket.unref());
  proxy.unref();
  return new Promise((resolve) => proxy.listen(port, resolve));
}

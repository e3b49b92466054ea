import { access } from "node:fs/promises";
import { connect } from "node:tls";
import type { Config } from "@purse/server";
import Database from "better-sqlite3";
import { createTransport } from "nodemailer";
import pg from "pg";
import { checkHsts, checkHttpRedirect, checkIpv6 } from "./domainChecks.ts";
import { type Finding, failure, messageOf, ok, warning } from "./finding.ts";

const TIMEOUT_MS = 8_000;
const MINIMUM_POSTGRES = 13;
const MAX_CLOCK_DIFFERENCE_MS = 5_000;
const MAX_HEAD_AGE_MS = 30 * 60_000;
const CERTIFICATE_WARNING_DAYS = 14;
const DAY_MS = 24 * 3_600_000;
/** The area of findings about the clock of the database. */
const CLOCK = "clock";

export async function checkDatabase({ database }: Config): Promise<Finding[]> {
  if (database.kind === "sqlite") return checkSqlite(database.path);
  const { url, directUrl } = database;
  if (directUrl === undefined) return checkPostgres(url, "database", "PURSE_DATABASE_URL");
  const [pooled, direct] = await Promise.all([
    checkPostgres(url, "pooler", "PURSE_DATABASE_URL"),
    checkPostgres(directUrl, "database", "PURSE_DATABASE_DIRECT_URL"),
  ]);
  // Both are the same server.
  return [...pooled.filter(({ area }) => area !== CLOCK), ...direct];
}

/** The databases of chains that have their own for their index. */
export async function checkIndexDatabases({ chains }: Config): Promise<Finding[]> {
  const checks = chains.map(async ({ name, database }) => {
    if (!database) return [];
    const url = database.directUrl ?? database.url;
    const findings = await checkPostgres(url, `index of ${name}`, "the chain's DATABASE_URL");
    // The lease of an index relies on the clock of its database alone.
    return findings.filter(({ area }) => area !== CLOCK);
  });
  return (await Promise.all(checks)).flat();
}

async function checkSqlite(path: string): Promise<Finding[]> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (!exists) return [ok("database", `SQLite: ${path} will be created`)];
  try {
    const database = new Database(path, { readonly: true, timeout: TIMEOUT_MS });
    try {
      const tables = database.prepare("SELECT count(*) FROM sqlite_master").pluck().get();
      return [ok("database", `SQLite: ${path}, ${tables} tables and indexes`)];
    } finally {
      database.close();
    }
  } catch (error) {
    return [
      failure(
        "database",
        `${path}: ${messageOf(error)}`,
        "Restore a backup: purse restore --in FILE --force.",
      ),
    ];
  }
}

interface PostgresFacts {
  /** 170002 for 17.2. */
  version: number;
  /** Milliseconds since the epoch. */
  now: string;
  fsync: string;
  connections: number;
}

const POSTGRES_FACTS = `
  SELECT current_setting('server_version_num')::int AS version,
    extract(epoch FROM clock_timestamp()) * 1000 AS now,
    current_setting('fsync') AS fsync,
    current_setting('max_connections')::int AS connections`;

/** `setting` is what the advice names. */
async function checkPostgres(url: string, area: string, setting: string): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // A connection that breaks later is reported by the query that it interrupts.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const sentAt = Date.now();
    const { rows } = await client.query<PostgresFacts>(POSTGRES_FACTS);
    const receivedAt = Date.now();
    const [facts] = rows;
    if (!facts) throw new Error("the server did not tell its settings");
    const { version, now, fsync, connections } = facts;
    const major = Math.floor(version / 10_000);
    const findings: Finding[] = [];
    if (major < MINIMUM_POSTGRES)
      findings.push(
        failure(area, `PostgreSQL ${major} is too old`, `Upgrade to ${MINIMUM_POSTGRES} or later.`),
      );
    else findings.push(ok(area, `PostgreSQL ${major}, ${connections} connections at most`));
    if (fsync === "off")
      findings.push(
        failure(area, "fsync is off: a crash of the machine loses or damages data", "Set fsync = on."),
      );
    const difference = Number(now) - (sentAt + receivedAt) / 2;
    if (Math.abs(difference) > MAX_CLOCK_DIFFERENCE_MS + (receivedAt - sentAt))
      findings.push(
        warning(
          CLOCK,
          `the clocks of this machine and the database differ by ${Math.round(difference / 1_000)} s`,
          "Synchronize both with NTP: sessions and leases depend on them.",
        ),
      );
    else findings.push(ok(CLOCK, "agrees with the database"));
    return findings;
  } catch (error) {
    const advice = `Check ${setting}, the server and its network.`;
    return [failure(area, `PostgreSQL: ${messageOf(error)}`, advice)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function checkMail({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  try {
    await transport.verify();
    return [ok("mail", `${new URL(smtpUrl).host} accepts mail`)];
  } catch (error) {
    return [
      failure(
        "mail",
        `${new URL(smtpUrl).host}: ${messageOf(error)}`,
        "Check host, port and password of PURSE_SMTP_URL.",
      ),
    ];
  } finally {
    transport.close();
  }
}

/** Each node of each chain: it answers, has the right chain, and follows it. */
export async function checkNodes({ chains }: Config): Promise<Finding[]> {
  const checks = chains.flatMap(({ id, name, rpcUrls }) => rpcUrls.map((url) => checkNodeOf(name, id, url)));
  return Promise.all(checks);
}

async function checkNodeOf(chain: string, id: number, url: string): Promise<Finding> {
  const area = `chain ${chain}`;
  const { host } = new URL(url);
  try {
    const reported = Number(await callNode(url, "eth_chainId", []));
    if (reported !== id)
      return failure(
        area,
        `${host} is a node of chain ${reported}, not ${id}`,
        "Set the URL of the right chain.",
      );
    const block = await callNode(url, "eth_getBlockByNumber", ["latest", false]);
    const seconds =
      typeof block === "object" && block !== null && "timestamp" in block ? Number(block.timestamp) : 0;
    const age = Date.now() - seconds * 1_000;
    if (age > MAX_HEAD_AGE_MS)
      return warning(
        area,
        `the latest block of ${host} is ${Math.round(age / 60_000)} minutes old`,
        "The node does not follow its chain, or the clock of this machine is wrong.",
      );
    return ok(area, `${host} follows chain ${id}`);
  } catch (error) {
    return failure(area, `${host}: ${messageOf(error)}`, "Check the URL, its key and the network.");
  }
}

async function callNode(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer: unknown = await response.json();
  if (typeof answer === "object" && answer !== null && "result" in answer) return answer.result;
  throw new Error(`${method} was answered with HTTP ${response.status} and no result`);
}

/** The public URL: it leads to this server, also by WebSocket, and its certificate is valid for some time. */
export async function checkPublicUrl({ serverUrl, appId }: Config): Promise<Finding[]> {
  if (serverUrl === undefined) return [];
  const area = "public URL";
  const base = new URL(serverUrl);
  try {
    const response = await fetch(new URL("/health", base), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const health: unknown = await response.json().catch(() => undefined);
    if (typeof health !== "object" || health === null || !("status" in health))
      return [
        failure(
          area,
          `${base.host} answers with something else (HTTP ${response.status})`,
          "Check the reverse proxy.",
        ),
      ];
    const isEncrypted = base.protocol === "https:";
    const transport = isEncrypted
      ? [
          await checkCertificate(base),
          checkHsts(response.headers.get("strict-transport-security")),
          ...(await checkHttpRedirect(base)),
        ]
      : [];
    return [
      ok(area, `${base.host} leads to a server`),
      ...transport,
      ...(await checkIpv6(base)),
      await checkWebSocket(serverUrl, appId),
    ];
  } catch (error) {
    return [
      failure(
        area,
        `${serverUrl}: ${messageOf(error)}`,
        "Start the server, and check DNS, certificate and reverse proxy.",
      ),
    ];
  }
}

async function checkWebSocket(serverUrl: string, appId: string): Promise<Finding> {
  const url = serverUrl.replace(/^http/, "ws");
  const socket = new WebSocket(url);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), TIMEOUT_MS);
  socket.addEventListener("open", () => socket.send(JSON.stringify({ op: "connect", applicationId: appId })));
  socket.addEventListener("message", () => resolve(true));
  socket.addEventListener("error", () => resolve(false));
  const isAnswered = await promise;
  clearTimeout(timer);
  socket.close();
  if (isAnswered) return ok("WebSocket", `${url} is answered`);
  return failure("WebSocket", `${url} is not answered`, "Let the reverse proxy forward WebSocket upgrades.");
}

function checkCertificate({ hostname, port }: URL): Promise<Finding> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname }, () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
      socket.end();
      if (days > CERTIFICATE_WARNING_DAYS) resolve(ok("TLS", `the certificate is valid for ${days} days`));
      else resolve(warning("TLS", `the certificate ends in ${days} days`, "Check why it is not renewed."));
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no TLS handshake in time")));
    socket.on("error", reject);
  });
}

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { ensureProgram } from "../../scripts/programs.mjs";
import { freePort } from "./freePort.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgresProxy.ts";
import { until } from "./until.ts";
import { untilListening } from "./valkeyServer.ts";

const DEPLOY = resolve(import.meta.dirname, "../../deploy/patroni");
/** PostgreSQL refuses to run as root, so that everything runs as the user nobody. */
const NOBODY = 65_534;
/** Addresses of the nodes, which have the same port, as a URL with several hosts has one. */
const ADDRESSES = ["127.0.0.1", "127.0.0.2"] as const;
const POSTGRES = ["18", "17", "16", "15", "14", "13"].map((n) => `/usr/lib/postgresql/${n}/bin/postgres`);
const HEALTHY_MS = 120_000;

/** A node of a cluster: PostgreSQL with its Patroni. */
export interface PatroniNode {
  name: string;
  address: string;
  /** What the other node replicates from this one by. */
  replication: PostgresProxy;
  /** Kills Patroni and all processes of PostgreSQL by SIGKILL. */
  kill(): void;
  /** Starts Patroni, which starts PostgreSQL. */
  start(): void;
  /** The role by Patroni's REST API; undefined if it does not answer. */
  role(): Promise<string | undefined>;
}

/** Two nodes of PostgreSQL that Patroni manages by etcd, as `deploy/patroni` recommends it. */
export interface PatroniCluster {
  nodes: readonly PatroniNode[];
  /** URL of a database with both hosts. */
  url: string;
  /** URL through HAProxy, which knows the primary. */
  balancedUrl: string;
  /** Waits until there is a primary with a standby that streams from it; returns the primary. */
  untilHealthy(): Promise<PatroniNode>;
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** How its programs and configurations are named in reports. */
  description: string;
  stop(): Promise<void>;
}

interface Programs {
  patroni: string;
  etcd: string;
  haproxy: string;
  postgres: string;
}

/** The programs, installed from Debian's packages if possible. Throws Error that names what is missing. */
function findPrograms(): Programs {
  const find = (paths: readonly string[], debianPackage: string): string => {
    const found = ensureProgram({ paths, debianPackage });
    if (found !== undefined) return found;
    throw new Error(
      `${debianPackage} is missing and could not be installed: apt-get install ${debianPackage}`,
    );
  };
  return {
    patroni: find(["/usr/bin/patroni", "/usr/local/bin/patroni"], "patroni"),
    etcd: find(["/usr/bin/etcd", "/usr/local/bin/etcd"], "etcd-server"),
    haproxy: find(["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"], "haproxy"),
    // With pg_basebackup and pg_rewind, which the npm package of the tests lacks.
    postgres: find(POSTGRES, "postgresql"),
  };
}

/** Starts etcd, two nodes and HAProxy. The database `purse` exists. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const programs = findPrograms();
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startCluster(programs, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Adds to `ends` what stops each of the parts. */
async function startCluster(
  programs: Programs,
  ends: (() => unknown)[],
): Promise<Omit<PatroniCluster, "stop">> {
  const folder = mkdtempSync(join(tmpdir(), "purse-patroni-"));
  const isRoot = userInfo().uid === 0;
  const own = (path: string) => isRoot && chownSync(path, NOBODY, NOBODY);
  own(folder);
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  /** Starts a program whose output goes to a file of the folder. */
  const run = (name: string, program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ["ignore", log, log],
      env: { ...process.env, HOME: folder },
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    closeSync(log);
    ends.push(() => child.kill("SIGKILL"));
    return child;
  };

  const [etcdPort, peerPort, port, restPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const etcd = run("etcd", programs.etcd, [
    ...["--name", "etcd", "--data-dir", join(folder, "etcd")],
    ...["--listen-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--advertise-client-urls", `http://127.0.0.1:${etcdPort}`],
    ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...["--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
    ...["--initial-cluster", `etcd=http://127.0.0.1:${peerPort}`],
  ]);
  await untilListening(etcd, etcdPort);

  const nodes: PatroniNode[] = [];
  for (const [i, address] of ADDRESSES.entries()) {
    const name = `postgres${i + 1}`;
    const data = join(folder, name);
    const replication = await startPostgresProxy(`postgres://${address}:${port}`);
    const file = join(folder, `${name}.yml`);
    const addresses = {
      name,
      rest: `${address}:${restPort}`,
      etcd: `127.0.0.1:${etcdPort}`,
      listen: `${address}:${port}`,
      connect: `127.0.0.1:${replication.port}`,
    };
    writeFileSync(file, JSON.stringify(configOf(addresses, data, dirname(programs.postgres)), null, 2));
    own(file);
    let patroni: ChildProcess | undefined;
    const node: PatroniNode = {
      name,
      address,
      replication,
      start() {
        patroni = run(name, programs.patroni, [file]);
      },
      kill() {
        patroni?.kill("SIGKILL");
        killPostgres(data);
      },
      async role() {
        const response = await fetch(`http://${address}:${restPort}/patroni`, {
          signal: AbortSignal.timeout(2_000),
        }).catch(() => undefined);
        const state: { role?: string; state?: string } | undefined = await response?.json();
        return state?.state === "running" ? state.role : undefined;
      },
    };
    nodes.push(node);
    ends.push(() => replication.close());
    node.start();
    ends.push(() => node.kill());
    // The first one becomes the primary.
    await untilReached(async () => (await node.role()) !== undefined, `${name} to run`);
  }

  const haproxyPort = await freePort();
  const haproxyFile = join(folder, "haproxy.cfg");
  writeFileSync(haproxyFile, balancerConfig(haproxyPort, port, restPort));
  own(haproxyFile);
  const haproxy = run("haproxy", programs.haproxy, ["-f", haproxyFile, "-db"]);
  await untilListening(haproxy, haproxyPort);

  const cluster = async (): Promise<{ name: string; role: string; state: string }[]> => {
    for (const { address } of nodes) {
      const response = await fetch(`http://${address}:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => undefined);
      if (!response?.ok) continue;
      const { members }: { members: { name: string; role: string; state: string }[] } = await response.json();
      return members;
    }
    return [];
  };
  let isSynchronous = true;
  await createDatabase(`postgres://postgres@127.0.0.1:${haproxyPort}/postgres`);

  return {
    nodes,
    url: `postgres://postgres@${ADDRESSES.join(",")}:${port}/purse`,
    balancedUrl: `postgres://postgres@127.0.0.1:${haproxyPort}/purse`,
    description: `${versionOf(programs.postgres)}, Patroni ${versionOf(programs.patroni)}`,
    async untilHealthy() {
      let leader: PatroniNode | undefined;
      await untilReached(async () => {
        const members = await cluster();
        const primary = members.find(({ role }) => role === "leader");
        leader = nodes.find(({ name }) => name === primary?.name);
        const wanted = isSynchronous ? "sync_standby" : "replica";
        const standby = members.find(({ role }) => role === wanted);
        const isStreaming = standby?.state === "running" || standby?.state === "streaming";
        return leader !== undefined && isStreaming && (await isStreamingFrom(leader, port, isSynchronous));
      }, "a primary with a standby");
      if (!leader) throw new Error("there is no primary");
      return leader;
    },
    async setSynchronous(value) {
      const [first] = nodes;
      const response = await fetch(`http://${first?.address}:${restPort}/config`, {
        method: "PATCH",
        body: JSON.stringify({ synchronous_mode: value }),
      });
      if (!response.ok) throw new Error(`Patroni answers ${response.status}: ${await response.text()}`);
      isSynchronous = value;
    },
  };

  async function untilReached(condition: () => Promise<boolean>, what: string): Promise<void> {
    const logs = () => ["postgres1", "postgres2"].map((name) => tail(join(folder, `${name}.log`))).join("\n");
    await until(condition, { withinMs: HEALTHY_MS, otherwise: () => `${logs()}\nThere was no ${what}` });
  }
}

function tail(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").slice(-3_000) : "";
}

/** The recommended configuration with the addresses and folders of this machine, which trusts all users. */
function configOf(
  addresses: { name: string; rest: string; etcd: string; listen: string; connect: string },
  data: string,
  programs: string,
): object {
  const recommended: {
    bootstrap: { dcs: { postgresql: { parameters: object } } };
    postgresql: object;
  } = parse(readFileSync(join(DEPLOY, "patroni.yml"), "utf8"));
  const user = (username: string) => ({ username, password: "unused" });
  return {
    ...recommended,
    name: addresses.name,
    restapi: { listen: addresses.rest, connect_address: addresses.rest },
    etcd3: { hosts: addresses.etcd },
    postgresql: {
      ...recommended.postgresql,
      listen: addresses.listen,
      connect_address: addresses.connect,
      data_dir: data,
      bin_dir: programs,
      pgpass: `${data}.pgpass`,
      parameters: { unix_socket_directories: "" },
      authentication: {
        superuser: user("postgres"),
        replication: user("replicator"),
        rewind: user("rewinder"),
      },
      pg_hba: ["host replication all 127.0.0.0/8 trust", "host all all 127.0.0.0/8 trust"],
    },
  };
}

/** The recommended configuration of HAProxy for this machine. */
function balancerConfig(port: number, postgresPort: number, restPort: number): string {
  return readFileSync(join(DEPLOY, "haproxy.cfg"), "utf8")
    .replace("bind :5432", `bind 127.0.0.1:${port}`)
    .replaceAll(/ADDRESS-(\d):5432 check port 8008/g, (_, n: string) => {
      return `${ADDRESSES[Number(n) - 1]}:${postgresPort} check port ${restPort}`;
    });
}

function versionOf(program: string): string {
  return execFileSync(program, ["--version"], { encoding: "utf8" }).trim().split("\n")[0] ?? "";
}

/** Kills the server that uses a data folder, with its children. */
function killPostgres(data: string): void {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  const children = spawnedBy(pid);
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function spawnedBy(pid: number): number[] {
  try {
    const output = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    return output.trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** Creates the database of the servers as soon as the balancer knows the primary. */
async function createDatabase(url: string): Promise<void> {
  const { default: postgres } = await import("postgres");
  let problem: unknown;
  const isCreated = async () => {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`CREATE DATABASE purse`;
      return true;
    } catch (error) {
      problem = error;
      return false;
    } finally {
      await sql.end();
    }
  };
  await until(isCreated, { withinMs: HEALTHY_MS, otherwise: () => `No database: ${problem}` });
}

async function isStreamingFrom(
  { address }: PatroniNode,
  port: number,
  isSynchronous: boolean,
): Promise<boolean> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(`postgres://postgres@${address}:${port}/postgres`, {
    max: 1,
    connect_timeout: 2,
    onnotice: () => undefined,
  });
  try {
    const states = isSynchronous ? ["sync", "quorum"] : ["async", "sync", "quorum", "potential"];
    const [row] =
      await sql`SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ${sql(states)}`;
    return row !== undefined;
  } catch {
    return false;
  } finally {
    await sql.end();
  }
}

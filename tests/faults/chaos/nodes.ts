import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { databaseEnv } from "../../support/databases.ts";
import { type PostgresProxy, startPostgresProxy } from "../../support/postgresProxy.ts";
import {
  hostPurse,
  type Purse,
  type PurseOptions,
  type PurseProcess,
  startPurse,
} from "../../support/purse.ts";
import type { Services } from "./services.ts";

const SUPPORT = resolve(import.meta.dirname, "../../support");
const CODE = resolve(import.meta.dirname, "../../fixtures/cloud/main.ts");

/** The network connections of a node, each through a proxy that injects faults. */
export interface Links {
  database: PostgresProxy;
  valkey?: PostgresProxy;
  s3?: PostgresProxy;
  chain?: PostgresProxy;
}

export interface ChaosNode {
  purse: Purse;
  links: Links;
  /** Its process, if it has one of its own. */
  process?: PurseProcess;
  /** Whether a fault is being injected. */
  isFaulty: boolean;
  /** Shifts its clock by this time, in ms. */
  setClock(ms: number): void;
  /** Starts it again after it was killed. */
  restart(): Promise<void>;
  /** What its processes have logged. */
  output(): string;
  /** How its processes ended that nobody stopped. */
  ends: readonly string[];
  remove(): Promise<void>;
}

/** Starts servers on one database, in hosts that they share, which cannot be killed. */
export async function startHostedNodes(count: number): Promise<ChaosNode[]> {
  const env = await databaseEnv("PostgreSQL");
  const nodes: ChaosNode[] = [];
  for (let i = 0; i < count; i++) {
    const url = env.PURSE_DATABASE_URL ?? "";
    const database = await startPostgresProxy(url);
    const purse = await hostPurse({ env: { ...env, PURSE_DATABASE_URL: database.url(url) } });
    nodes.push({
      purse,
      links: { database },
      isFaulty: false,
      setClock: () => undefined,
      restart: async () => undefined,
      output: () => purse.output(),
      ends: [],
      async remove() {
        await purse.remove();
        await database.close();
      },
    });
  }
  return nodes;
}

/** The last line of a server that ends during its start, with the reason: the database is away or full, for example. */
const START_FAILED = /^purse: .*$/m;
const MAX_STARTS = 20;

/** Starts a server, and again if it ends because something that it needs is away meanwhile, as an orchestrator does. */
async function startAgain(options: PurseOptions): Promise<PurseProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startPurse(options);
    } catch (error) {
      const [reason] = START_FAILED.exec(String(error)) ?? [];
      if (attempt === MAX_STARTS || reason === undefined) throw error;
      console.log(`a server has ended during its start: ${reason}`);
    }
  }
}

/** Starts a server in a process of its own, with all services that servers can share. */
export async function startNode(services: Services): Promise<ChaosNode> {
  const { databaseUrl, valkey, s3, chain } = services;
  const database = await startPostgresProxy(databaseUrl);
  const links = {
    database,
    valkey: await startPostgresProxy(Number(new URL(valkey.url).port)),
    s3: await startPostgresProxy(Number(new URL(s3.endpoint).port)),
    chain: await startPostgresProxy(Number(new URL(chain.url).port)),
  };
  const clock = mkdtempSync(join(tmpdir(), "purse-chaos-clock-"));
  const clockFile = join(clock, "shift");
  const setClock = (ms: number) => {
    writeFileSync(`${clockFile}.new`, String(ms));
    renameSync(`${clockFile}.new`, clockFile);
  };
  setClock(0);
  const bucket = encodeURIComponent(`http://127.0.0.1:${links.s3.port}`);
  const ends: string[] = [];
  const options: PurseOptions = {
    onUnexpectedEnd(end) {
      ends.push(end);
      console.log(end);
    },
    env: {
      ...s3.env,
      PURSE_DATABASE_URL: database.url(databaseUrl),
      PURSE_DATABASE_CONNECTIONS: "5",
      PURSE_VALKEY_URL: `valkey://127.0.0.1:${links.valkey.port}`,
      PURSE_FILES_STORE: `s3://files/app?endpoint=${bucket}&forcePathStyle=1`,
      PURSE_FILES_SHARED: "0",
      PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL: `http://127.0.0.1:${links.chain.port}`,
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
      PURSE_CLOUD: CODE,
      PURSE_TEST_CLOCK_FILE: clockFile,
      NODE_OPTIONS: `--import ${pathToFileURL(join(SUPPORT, "shiftedClock.mjs")).href}`,
    },
  };
  const child = await startPurse(options);
  const processes = [child];
  const node: ChaosNode = {
    purse: child,
    links,
    process: child,
    isFaulty: false,
    setClock,
    async restart() {
      const { port, dataDir } = node.purse;
      node.process = await startAgain({ ...options, port, dataDir });
      node.purse = node.process;
      processes.push(node.process);
    },
    output: () => processes.map((each) => each.output()).join("\n"),
    ends,
    async remove() {
      await node.process?.kill();
      await node.purse.remove();
      await Promise.all(Object.values(links).map((link) => link.close()));
      rmSync(clock, { recursive: true, force: true });
    },
  };
  return node;
}

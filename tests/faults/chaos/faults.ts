import { canLimitFiles, limitFiles } from "../../support/limitedFiles.ts";
import type { CommitFault, PostgresProxy } from "../../support/postgresProxy.ts";
import type { Random } from "../../support/random.ts";
import type { ChaosNode } from "./nodes.ts";
import type { Services } from "./services.ts";

/** Injects a fault into a node, and removes it. */
export type NodeFault = (node: ChaosNode, random: Random) => Promise<void>;
/** Injects a fault into what all nodes share, and removes it. */
export type ServiceFault = (services: Services, random: Random) => Promise<void>;

const COMMIT_FAULTS: readonly CommitFault[] = ["loseResponse", "loseRequest", "deliverLate"];
const HOUR = 3_600_000;
const CLOCK_SHIFTS = [HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 5_000, -5_000];
/** Size of the files that a node can write while its disk is full, in bytes: 0, or less than that of an upload. */
const FILE_LIMITS = [0, 20_000];

export const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * Faults of the connection to the database, which each node can have, also in a process that it shares with others. They last
 * as long as `hold` says.
 */
export function databaseFaults(hold: (random: Random) => Promise<unknown>): Record<string, NodeFault> {
  return {
    async commit({ links: { database } }, random) {
      let left = 1;
      database.onCommit(() => (left-- > 0 ? random.pick(COMMIT_FAULTS) : undefined));
      await hold(random);
      database.onCommit(undefined);
    },
    async cut({ links: { database } }, random) {
      database.break();
      await hold(random);
      database.restore();
    },
    async slow({ links: { database } }, random) {
      database.delay(20 + random.integerBelow(100));
      await hold(random);
      database.delay(0);
    },
  };
}

/** A fault of a connection to another service. */
function linkFault(
  link: "valkey" | "s3" | "chain",
  inject: (proxy: PostgresProxy, random: Random) => Promise<void>,
): NodeFault {
  return async ({ links }, random) => {
    const proxy = links[link];
    if (proxy) await inject(proxy, random);
  };
}

const linkFaults = (link: "valkey" | "s3" | "chain"): Record<string, NodeFault> => ({
  [`${link}Cut`]: linkFault(link, async (proxy, random) => {
    proxy.break();
    await pause(random.integerBelow(4_000));
    proxy.restore();
  }),
  [`${link}BlackHole`]: linkFault(link, async (proxy, random) => {
    proxy.freeze();
    await pause(random.integerBelow(4_000));
    proxy.thaw();
  }),
  [`${link}Slow`]: linkFault(link, async (proxy, random) => {
    proxy.delay(20 + random.integerBelow(300));
    await pause(random.integerBelow(3_000));
    proxy.delay(0);
  }),
});

/** Faults of a node in a process of its own. Those of its database make requests wait for the deadlines of sessions. */
export function processFaults(): Record<string, NodeFault> {
  const hasDisk = canLimitFiles();
  if (!hasDisk) console.log("Without prlimit, the disks of nodes cannot be full.");
  return {
    async blackHole({ links: { database } }, random) {
      database.freeze();
      await pause(random.integerBelow(3_000));
      // The sessions of the server end when it notices.
      database.thaw();
    },
    async kill(node) {
      await node.process?.kill();
      await node.restart();
    },
    async stop({ process: child }, random) {
      if (!child) return;
      process.kill(child.pid, "SIGSTOP");
      await pause(500 + random.integerBelow(4_000));
      process.kill(child.pid, "SIGCONT");
    },
    async clock(node, random) {
      node.setClock(random.pick(CLOCK_SHIFTS));
      await pause(500 + random.integerBelow(4_000));
      node.setClock(0);
    },
    ...(hasDisk && {
      async disk({ process: child }: ChaosNode, random: Random) {
        if (!child) return;
        limitFiles(child.pid, random.pick(FILE_LIMITS));
        await pause(500 + random.integerBelow(3_000));
        limitFiles(child.pid, "unlimited");
      },
    }),
    ...linkFaults("valkey"),
    ...linkFaults("s3"),
    ...linkFaults("chain"),
  };
}

/** Faults of the services that all nodes share. */
export function serviceFaults(services: Services): Record<string, ServiceFault> {
  const { databaseDisk } = services;
  if (!databaseDisk)
    console.log("Disks cannot be mounted here (only by root): that of the database cannot be full.");
  return {
    async valkeyKill({ valkey }, random) {
      await valkey.kill();
      await pause(random.integerBelow(3_000));
      await valkey.restart();
    },
    async valkeyStop({ valkey }, random) {
      valkey.freeze();
      await pause(500 + random.integerBelow(4_000));
      valkey.thaw();
    },
    async s3Kill({ s3 }, random) {
      await s3.kill();
      await pause(random.integerBelow(3_000));
      await s3.restart();
    },
    async s3Stop({ s3 }, random) {
      s3.freeze();
      await pause(500 + random.integerBelow(4_000));
      s3.thaw();
    },
    async chainStop({ chain }, random) {
      process.kill(-chain.pid, "SIGSTOP");
      await pause(500 + random.integerBelow(4_000));
      process.kill(-chain.pid, "SIGCONT");
    },
    async webhookRefused({ receiver }, random) {
      receiver.isRefusing = true;
      await pause(500 + random.integerBelow(3_000));
      receiver.isRefusing = false;
    },
    async webhookLost({ receiver }, random) {
      receiver.losesResponses = true;
      await pause(500 + random.integerBelow(3_000));
      receiver.losesResponses = false;
    },
    ...(databaseDisk && {
      async databaseDisk({ postgres }: Services, random: Random) {
        databaseDisk.fill();
        await pause(500 + random.integerBelow(3_000));
        databaseDisk.empty();
        // Without room for its log it ends, as it cannot recover from a crash either.
        await postgres.ensureRunning();
      },
    }),
  };
}

/** Keeps the faults whose names begin with one of `names`, such as `s3` or `kill`; all without names. */
export function selectFaults<T>(faults: Record<string, T>, names: readonly string[]): Record<string, T> {
  const isSelected = (fault: string) => names.length === 0 || names.some((name) => fault.startsWith(name));
  return Object.fromEntries(Object.entries(faults).filter(([fault]) => isSelected(fault)));
}

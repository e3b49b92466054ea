/*
 * Sends hostile input to a server by every route, while another client repeats a small request, and reports
 * the cost: how long the other client waited, how long the event loop was blocked (CPU time), and how
 * much the memory grew.
 *   npm run measure:hostile -- [--database sqlite|postgres|both] [--seed 1] [--only TEXT] [--rounds 10] [--all]
 * Says on standard error how far it is and which attacks exceed a limit. Exits with 1 if one is exceeded; the limits are for an otherwise idle machine.
 */
import { parseArgs } from "node:util";
import type { Attack } from "../../tests/support/hostile/attack.ts";
import { allAttacks } from "../../tests/support/hostile/attacks.ts";
import { type Cost, startTarget, type Target } from "../../tests/support/hostile/target.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { Random } from "../../tests/support/random.ts";

/** Maximum waiting time of another client in 99 of 100 requests, in ms. */
const MAX_WAIT_MS = 100;
/** Maximum time for which the event loop is blocked, in ms of its CPU time. */
const MAX_STALL_MS = 50;
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "both" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "10" },
    /** Shows all rows, not only those over a limit. */
    all: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const attacks = allAttacks(Number(values.rounds)).filter(({ generator, route }) =>
  `${route}: ${generator}`.includes(values.only),
);

interface Row {
  attack: Attack;
  statuses: number[];
  cost: Cost;
}

console.log(`Seed ${seed}; ${attacks.length} attacks. Again: npm run measure:hostile -- --seed ${seed}`);
let isOverLimit = false;
for (const database of ["sqlite", "postgres"] as const) {
  if (values.database !== "both" && values.database !== database) continue;
  const server = database === "postgres" ? await startPostgres() : undefined;
  const env: Record<string, string> = server ? { PURSE_DATABASE_URL: await newDatabase(server.url) } : {};
  const target = await startTarget(env);
  try {
    await warmUp(target);
    const rows: Row[] = [];
    for (const [index, attack] of attacks.entries()) {
      const random = new Random(seed + index);
      await attack.prepare?.(target);
      const { result, cost } = await target.measure(() => attack.run(target, random));
      const row = { attack, statuses: result, cost };
      rows.push(row);
      const exceeded = exceededLimits(row).join(", ");
      if (exceeded !== "" || index % 100 === 99)
        console.error(
          `${index + 1} of ${attacks.length}: ${attack.route}, ${attack.generator}${exceeded && `: ${exceeded}; ${ms(cost.waitMs)} ms of waiting, ${ms(cost.stallMs)} ms of CPU in one go`}`,
        );
    }
    isOverLimit = report(database, rows) || isOverLimit;
  } finally {
    await target.stop();
    await server?.stop();
  }
}
process.exit(isOverLimit ? 1 : 0);

/** The first requests of a process take longer, as their code is compiled. */
async function warmUp(target: Target): Promise<void> {
  for (const attack of allAttacks(1)
    .filter(({ isShort }) => isShort)
    .slice(0, 60)) {
    await attack.run(target, new Random(1));
  }
}

function report(database: string, rows: readonly Row[]): boolean {
  const overLimit = rows.filter((row) => exceededLimits(row).length > 0);
  const shown = values.all ? rows : overLimit;
  console.log(`\n## ${database}: ${rows.length} attacks, ${overLimit.length} above a bar\n`);
  if (shown.length > 0) {
    console.log(
      "| route | generator | status | wait (ms) | loop held up (ms of CPU) | CPU (ms) | allocated (MB) | growth (MB) | above |",
    );
    console.log("| --- | --- | --- | --: | --: | --: | --: | --: | --- |");
  }
  for (const row of shown) {
    const { attack, statuses, cost } = row;
    const cells = [
      attack.route,
      attack.generator,
      statusText(statuses),
      ms(cost.waitMs),
      ms(cost.stallMs),
      ms(cost.cpuMs),
      megabytes(cost.allocatedBytes),
      megabytes(cost.growthBytes),
      exceededLimits(row).join(", "),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  const worst = (pick: (cost: Cost) => number) =>
    rows.reduce((max, { cost }) => Math.max(max, pick(cost)), 0);
  console.log(
    `\nAt worst: ${ms(worst(({ waitMs }) => waitMs))} ms of waiting, ${ms(worst(({ stallMs }) => stallMs))} ms of CPU in one go, ${megabytes(worst(({ growthBytes }) => growthBytes))} MB of growth.`,
  );
  return overLimit.length > 0;
}

function exceededLimits({ attack, statuses, cost }: Row): string[] {
  const { waitMs, stallMs, growthBytes, failedProbes } = cost;
  const unanswered = attack.answersOthers ? statuses.filter((status) => status < 200 || status > 299) : [];
  return [
    ...(unanswered.length > 0 ? [`${unanswered.length} of others failed`] : []),
    ...(waitMs > MAX_WAIT_MS ? ["wait"] : []),
    ...(stallMs > MAX_STALL_MS ? ["held up"] : []),
    ...(growthBytes > MAX_GROWTH_BYTES ? ["growth"] : []),
    ...(failedProbes > 0 ? [`${failedProbes} failed`] : []),
  ];
}

/** The number of responses by status. */
function statusText(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .map(([status, count]) => (count > 1 ? `${status} × ${count}` : String(status)))
    .join(", ");
}

function ms(value: number): string {
  return value.toFixed(0);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

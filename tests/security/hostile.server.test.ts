import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf, NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { allAttacks } from "../support/hostile/attacks.ts";
import { type Cost, startTarget, type Target } from "../support/hostile/target.ts";
import { Random } from "../support/random.ts";

/*
 * The short form of `npm run measure:hostile`. It checks CPU time and memory, because latency depends on the load of
 * the machine. The limits are above those of the command, which is for an idle machine, because on a shared
 * processor the same work takes more CPU time.
 */
const MAX_STALL_MS = 400;
const MAX_GROWTH_BYTES = 384 * 1024 * 1024;
const MAX_ALLOCATED_BYTES = 512 * 1024 * 1024;
const SEED = 20_261_122;

const attacks = allAttacks(1).filter(({ isShort }) => isShort);
const routes = [...new Set(attacks.map(({ route }) => route))];

describe.each(DATABASES)("hostile input on %s", (database) => {
  let target: Target;
  beforeAll(async () => {
    // Latencies are not checked here: a client that sends 250 requests per second would take a sixth of the CPU time.
    target = await startTarget(await databaseEnv(database), { probePauseMs: 20 });
  });
  afterAll(() => target?.stop());

  it.each(routes)("blocks no other client and uses little memory: %s", async (route) => {
    const random = new Random(SEED);
    const above: { generator: string; statuses: number[]; cost: Cost }[] = [];
    const own = attacks.filter((each) => each.route === route);
    // With `npm test`, the first one of each route, and with the rest every second one.
    for (const attack of casesOf(own, (_, i) => (NIGHTLY ? i % 2 === 0 : i === 0))) {
      await attack.prepare?.(target);
      const { result: statuses, cost } = await target.measure(() => attack.run(target, random));
      const isAbove =
        cost.stallMs > MAX_STALL_MS ||
        cost.growthBytes > MAX_GROWTH_BYTES ||
        cost.allocatedBytes > MAX_ALLOCATED_BYTES;
      // Rejections are intended ones: no status indicates a bug.
      if (isAbove || statuses.includes(500)) above.push({ generator: attack.generator, statuses, cost });
    }
    expect(above, `seed ${SEED}`).toEqual([]);
  });
});

import type { Definitions } from "./workerMessages.ts";

/**
 * What the threads of the cloud code have defined together. They run the same code, but code may define more while it
 * runs, in one of them.
 */
export function mergeDefinitions([first, ...others]: readonly [Definitions, ...Definitions[]]): Definitions {
  return others.reduce(
    (merged, each) => ({
      functions: union(merged.functions, each.functions),
      jobs: union(merged.jobs, each.jobs),
      triggers: union(merged.triggers, each.triggers),
      schedules: union(merged.schedules, each.schedules),
      watches: union(merged.watches, each.watches),
      plugins: union(merged.plugins, each.plugins),
      rateLimits: union(merged.rateLimits, each.rateLimits),
    }),
    first,
  );
}

function union<Definition>(some: readonly Definition[], more: readonly Definition[]): Definition[] {
  const known = new Set(some.map((each) => JSON.stringify(each)));
  return [...some, ...more.filter((each) => !known.has(JSON.stringify(each)))];
}

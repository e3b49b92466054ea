import { CONFIG_CLASS } from "./classNames.ts";
import { rateLimitsOf } from "./rateLimitRules.ts";
import type { Registry } from "./registry.ts";
import type { Definitions } from "./workerMessages.ts";

/** Returns the definitions of a registry that the server needs. */
export function definitionsOf(registry: Registry): Definitions {
  const triggerKeys = (trigger: string, map: ReadonlyMap<string, unknown>) =>
    [...map.keys()].map((className) => `${trigger}.${className}`);
  return {
    functions: [...registry.functions.keys()],
    jobs: [...registry.jobs.keys()],
    triggers: [
      ...registry.objectTriggers.keys(),
      ...triggerKeys("beforeFind", registry.beforeFind),
      ...triggerKeys("afterFind", registry.afterFind),
      ...registry.files.keys(),
      ...[...registry.config.keys()].map((trigger) => `${trigger}.${CONFIG_CLASS}`),
      ...(registry.beforeConnect ? ["beforeConnect"] : []),
      ...triggerKeys("beforeSubscribe", registry.beforeSubscribe),
      ...triggerKeys("afterLiveQueryEvent", registry.afterLiveQueryEvent),
      ...triggerKeys("beforeConsume", registry.beforeConsume),
      ...(registry.onLiveQueryEvent.length > 0 ? ["onLiveQueryEvent"] : []),
    ],
    schedules: registry.schedules,
    watches: registry.watches,
    plugins: registry.plugins,
    rateLimits: rateLimitsOf(registry),
  };
}

import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { callFunction } from "../../wallet/batchCall.ts";

/** Whether the server has the plugin that swaps tokens. */
export function useDex(): QueryResult<boolean> {
  return useServerQuery({
    queryKey: ["has dex plugin"],
    async queryFn(options) {
      const plugins = await callFunction("getPluginSpecs", {}, options);
      return Array.isArray(plugins) && plugins.some((plugin) => Object(plugin).name === "dex");
    },
  });
}

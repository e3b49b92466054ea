import { ParseError } from "@purse/client";
import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { batchCall } from "../../wallet/batchCall.ts";

/** Whether the server has the plugin that swaps tokens. */
export function useDex(): QueryResult<boolean> {
  return useServerQuery({
    queryKey: ["has dex plugin"],
    async queryFn(options) {
      const [specs] = await batchCall("getPluginSpecs", [{}], options);
      if (!specs || !("result" in specs))
        throw new ParseError(specs?.code ?? ParseError.OTHER_CAUSE, specs?.message ?? "");
      const plugins = specs.result;
      return Array.isArray(plugins) && plugins.some((plugin) => Object(plugin).name === "dex");
    },
  });
}

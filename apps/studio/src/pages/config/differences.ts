import type { JsonObject } from "@purse/protocol";

export interface ConfigState {
  params: JsonObject;
  masterKeyOnly: JsonObject;
}

/** A parameter that differs, as JSON; undefined where it is missing. */
export interface Difference {
  name: string;
  from: string | undefined;
  to: string | undefined;
}

/** The differences between two config states, by parameter name; of all parameters by default. */
export function diffConfig(
  from: ConfigState,
  to: ConfigState,
  names: readonly string[] = [...Object.keys(from.params), ...Object.keys(to.params)],
): Difference[] {
  return [...new Set(names)]
    .sort()
    .map((name) => ({ name, from: formatParameter(from, name), to: formatParameter(to, name) }))
    .filter((each) => each.from !== each.to);
}

function formatParameter({ params, masterKeyOnly }: ConfigState, name: string): string | undefined {
  if (!Object.hasOwn(params, name)) return undefined;
  return `${JSON.stringify(params[name])}${masterKeyOnly[name] === true ? " (master key only)" : ""}`;
}

import type { Moralis } from "@purse/client";
import { ReactMoralisError } from "./errors.ts";

export interface PluginContext {
  Moralis: typeof Moralis;
  isInitialized: boolean;
  isInitializing: boolean;
}

/** Calls a plugin of the server. Throws ReactMoralisError if the client or the plugin is not ready. */
export async function callPlugin<R>(
  { Moralis, isInitialized, isInitializing }: PluginContext,
  plugin: string,
  fn: string,
  params: object,
  disableTriggers?: boolean,
): Promise<R> {
  if (isInitializing) throw new ReactMoralisError("Plugins are not finished initializing");
  if (!isInitialized) {
    throw new ReactMoralisError("Moralis has not been initialized, run Moralis.start first");
  }
  const { [plugin]: installed } = Moralis.Plugins;
  const call = installed?.[fn];
  if (!call) throw new ReactMoralisError(`${plugin} plugin has not been installed or initialized`);
  // The result type is known to the author of the plugin: the caller asserts R.
  return (await call(params, { disableTriggers })) as R;
}

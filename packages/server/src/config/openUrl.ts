import type { Config } from "./loadConfig.ts";

/** Where people open the apps: at the public URL if the server has one, otherwise at the URL of its port. */
export function openUrl({ serverUrl }: Pick<Config, "serverUrl">, url: string): string {
  return serverUrl === undefined ? url : serverUrl.replace(/\/server\/?$/, "");
}

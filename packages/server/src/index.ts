export type { CloudNamespace } from "./cloud/index.ts";
export { type Config, type ConfigFile, loadConfig, settingsTable } from "./config.ts";
export { createLog, type Log } from "./observe/log.ts";
export { createServer, type PurseServer, type ServerOptions } from "./server.ts";

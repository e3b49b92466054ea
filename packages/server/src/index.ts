export type { Principals } from "./caller.ts";
export type { CloudNamespace } from "./cloud/index.ts";
export { type Config, type ConfigFile, loadConfig, settingsTable } from "./config.ts";
export { createLog, type Log } from "./observe/log.ts";
export type { ClassSchema } from "./schema/classSchema.ts";
export { createServer, type PurseServer, type ServerOptions } from "./server.ts";
export { type DatabaseConfig, openStore } from "./store/openStore.ts";
export { ClaimTaken, type Store, type StoreQuery, type Write, type WriteResult } from "./store/store.ts";

export { type ApiKey, ApiKeys } from "./apiKeys/apiKeys.ts";
export type { CloudNamespace, Plugin, PluginFunction, PluginResult, PluginTrigger } from "./cloud/index.ts";
export {
  type Config,
  type ConfigFile,
  loadConfig,
  type SettingRow,
  settingRows,
  settingsTable,
} from "./config.ts";
export * from "./moving/index.ts";
export { createLogger, type Logger } from "./observe/logger.ts";
export type { ClassSchema } from "./schema/classSchema.ts";
export { planSchemas } from "./schema/definedSchemas.ts";
export { openSchemas } from "./schema/openSchemas.ts";
export { type DescribedClass, typesText } from "./schema/typesText.ts";
export { createServer, type PurseServer, type ServerOptions } from "./server.ts";
export { type DatabaseConfig, openStore } from "./store/openStore.ts";
export type { Principals } from "./store/principals.ts";
export { lockDatabase } from "./store/sqlite/databaseLock.ts";
export { ClaimTaken, type Store, type StoreQuery, type Write, type WriteResult } from "./store/store.ts";
export { openOperators } from "./studio/openOperators.ts";

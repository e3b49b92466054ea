export { didYouMean } from "@purse/kernel";
export { type DocsSource, DocsUnavailableError } from "./api/docsPages.ts";
export { syntaxProblem } from "./cloud/codeLocation.ts";
export type { CloudNamespace, Plugin, PluginFunction, PluginResult, PluginTrigger } from "./cloud/index.ts";
export { ACCESS_PRESET_NAMES } from "./config/accessPresets.ts";
export type { DatabaseConfig } from "./config/database.ts";
export { protectDataFolder } from "./config/dataFolder.ts";
export type { Config, ConfigFile } from "./config/loadConfig.ts";
export { openUrl } from "./config/openUrl.ts";
export type { SettingRow } from "./config/settingsTable.ts";
export { SETTING_GROUPS } from "./config/settingTypes.ts";
export { loadConfig, settingRows, settingsTable } from "./configuration.ts";
export type { AclSubjects } from "./core/aclSubjects.ts";
export { type FeaturePackage, MissingPackageError } from "./core/featurePackages.ts";
export { createLogger, type Logger } from "./core/logger.ts";
export { PROGRAM } from "./core/programName.ts";
export { openBucket } from "./core/s3/openBucket.ts";
export { createSecret } from "./core/secret.ts";
export { Valkey } from "./core/valkey/valkey.ts";
export { strangerAccess, strangerAccessText } from "./data/permissions/strangerAccess.ts";
export { applySchemas, planSchemas } from "./data/schema/definedSchemas.ts";
export { editClass } from "./data/schema/editClass.ts";
export { type DescribedClass, generateTypes } from "./data/schema/generateTypes.ts";
export type { ClassSchema } from "./database/classSchema.ts";
export { openStore } from "./database/openStore.ts";
export { lockDatabase } from "./database/sqlite/databaseLock.ts";
export {
  type Store,
  type StoreQuery,
  UniqueConstraintError,
  type Write,
  type WriteResult,
} from "./database/store.ts";
export * from "./dataTransfer/index.ts";
export { type ApiKey, ApiKeys } from "./modules/apiKeys/apiKeys.ts";
export type { FileCounts } from "./modules/files/fileCopies.ts";
export { type FileSource, moveFiles } from "./modules/files/moveFiles.ts";
export type { MigrationOptions, MigrationReport } from "./modules/migrations/migrations.ts";
export { openSchemas } from "./openSchemas.ts";
export { type PackageSource, PackagesUnavailableError } from "./ownPackages/index.ts";
export {
  joinProcessGroup,
  type ProcessGroup,
  ProcessSupervisor,
  processCount,
  type StopMode,
} from "./processes/index.ts";
export { createServer, type PurseServer, type ServerOptions } from "./server.ts";
export { studioOpenApi } from "./studio/openApi.ts";
export { openOperators } from "./studio/openOperators.ts";

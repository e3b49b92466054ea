export { ErrorCode } from "@purse/protocol";
export { Analytics } from "./analytics.ts";
export { Storage } from "./applicationStorage.ts";
export * from "./chainFunctions.ts";
export { Chains } from "./chains.ts";
export { Cloud } from "./cloud.ts";
export { Config } from "./config.ts";
export {
  type Clock,
  type Connection,
  configure,
  connection,
  currentConnection,
  onConnection,
  reconfigure,
} from "./connection.ts";
export { CoreManager } from "./coreManager.ts";
export { enableEncryptedUser, isEncryptedUserEnabled } from "./encryptedUser.ts";
export { ParseError, ParseError as Error } from "./errors.ts";
export { loadEthers, web3Library, web3Of } from "./ethers.ts";
export type { EthersBigNumber, EthersLibrary, EthersProvider } from "./ethersLibrary.ts";
export { type Hook, Hooks } from "./hooks.ts";
export { installationId } from "./installationId.ts";
export { LiveQueryClient, type LiveQueryClientOptions, type LiveQueryState } from "./live/LiveQueryClient.ts";
export { LiveQuery, liveQueryClient, liveQueryUrl } from "./live/liveQuery.ts";
export {
  type EventMeta,
  Subscription as LiveQuerySubscription,
  type SubscriptionEvent,
  type SubscriptionEvents,
} from "./live/Subscription.ts";
export {
  dumpLocalDatastore,
  enableLocalDatastore,
  isLocalDatastoreEnabled,
  setLocalDatastoreController,
  updateLocalDatastore,
} from "./local/LocalDatastore.ts";
export type { LocalDatastoreController } from "./local/LocalStore.ts";
export { Moralis, Moralis as default, type MoralisNamespace } from "./namespace.ts";
export { ACL } from "./object/ACL.ts";
export type { AnyObject } from "./object/AnyObject.ts";
export { AggregateParseError, ObjectError } from "./object/batchErrors.ts";
export { CLP } from "./object/CLP.ts";
export type { FetchOptions, SaveOptions } from "./object/callOptions.ts";
export { type FileData, type FileSaveOptions, ParseFile, ParseFile as File } from "./object/File.ts";
export { GeoPoint } from "./object/GeoPoint.ts";
export * as Op from "./object/ops.ts";
export {
  type Attributes,
  type BaseAttributes,
  type ExtendedClass,
  type FieldName,
  ParseObject,
  ParseObject as Object,
  type SetOptions,
} from "./object/ParseObject.ts";
export { Polygon } from "./object/Polygon.ts";
export { Relation } from "./object/Relation.ts";
export type { ObjectClass } from "./object/registry.ts";
export {
  callPlugin,
  type PluginCallOptions,
  type PluginSpec,
  Plugins,
  setTriggerHandler,
} from "./plugins.ts";
export type { Trigger, TriggerHandler } from "./pluginTriggers.ts";
export { Push, type PushData } from "./push.ts";
export {
  type BatchOptions,
  type CountedResults,
  Query,
  type QueryClass,
  type QueryKey,
  type Subscription,
} from "./query/Query.ts";
export { type QueryOrder, queryOrder } from "./query/queryOrder.ts";
export { type FieldOptions, type FieldType, Schema } from "./schema.ts";
export { onSessionEnd } from "./sessionEnd.ts";
export { shareAcrossTabs } from "./shareAcrossTabs.ts";
export { initialize, type StartOptions, start } from "./start.ts";
export {
  type AsyncStorage,
  asyncStorage,
  memoryStorage,
  type StorageArea,
  type SyncStorage,
  syncStorage,
} from "./storage.ts";
export { onCurrentUser } from "./storedUser.ts";
export { type RequestOptions, VERSION } from "./transport.ts";
export { UI } from "./ui.ts";
export { Units } from "./units.ts";
export { AnonymousUtils } from "./user/AnonymousUtils.ts";
export { FacebookUtils } from "./user/FacebookUtils.ts";
export { Installation, type InstallationAttributes } from "./user/Installation.ts";
export { beforeLogOut } from "./user/logOutHooks.ts";
export { Role } from "./user/Role.ts";
export { Session, type SessionAttributes } from "./user/Session.ts";
export {
  type AuthData,
  type AuthProvider,
  type LogInOptions,
  User,
  type UserAttributes,
} from "./user/User.ts";
export { type EnsRecords, ensName, ensRecords } from "./wallet/ens.ts";
export * from "./wallet/index.ts";
export { lookupAddress, resolveName } from "./web3api/resolveNames.ts";
export type * from "./web3api/results.ts";
export { SolanaAPI, type SolanaParams } from "./web3api/solana.ts";
export { type DataService, setConnectedAccount, Web3API } from "./web3api/web3api.ts";

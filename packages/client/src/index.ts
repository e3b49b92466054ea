export { ErrorCode } from "@purse/protocol";
export { Chains } from "./chains.ts";
export { Cloud } from "./cloud.ts";
export { Config } from "./config.ts";
export {
  type Clock,
  type Connection,
  connection,
  currentConnection,
  onConnection,
  reconfigure,
} from "./connection.ts";
export { AggregateParseError, ObjectError, ParseError, ParseError as Error } from "./errors.ts";
export { loadEthers, web3Library, web3Of } from "./ethers.ts";
export type { EthersBigNumber, EthersLibrary, EthersProvider } from "./ethersLibrary.ts";
export { installationId, onCurrentUser } from "./identity.ts";
export * from "./legacy.ts";
export { LiveQueryClient, type LiveQueryClientOptions } from "./live/LiveQueryClient.ts";
export { LiveQuery, liveQueryClient, liveQueryUrl } from "./live/liveQuery.ts";
export {
  type EventMeta,
  Subscription,
  type SubscriptionEvent,
  type SubscriptionEvents,
} from "./live/Subscription.ts";
export { Moralis, type MoralisNamespace } from "./namespace.ts";
export { ACL } from "./object/ACL.ts";
export { type FileData, ParseFile, ParseFile as File } from "./object/File.ts";
export { GeoPoint } from "./object/GeoPoint.ts";
export * as Op from "./object/ops.ts";
export {
  type Attributes,
  type BaseAttributes,
  type FieldName,
  ParseObject,
  ParseObject as Object,
  type SetOptions,
} from "./object/ParseObject.ts";
export { Polygon } from "./object/Polygon.ts";
export { Relation } from "./object/Relation.ts";
export type { ObjectClass } from "./object/registry.ts";
export type { FetchOptions, SaveOptions } from "./object/saving.ts";
export {
  callPlugin,
  type PluginCallOptions,
  type PluginSpec,
  Plugins,
  setTriggerHandler,
} from "./plugins.ts";
export { Push, type PushData } from "./push.ts";
export { type BatchOptions, type CountedResults, Query, type QueryKey } from "./query/Query.ts";
export { initialize, type StartOptions, start } from "./start.ts";
export {
  type AsyncStorage,
  asyncStorage,
  memoryStorage,
  type Storage,
  type SyncStorage,
  syncStorage,
} from "./storage.ts";
export { shareAcrossTabs } from "./tabs.ts";
export { type RequestOptions, VERSION } from "./transport.ts";
export type { Trigger, TriggerHandler } from "./triggers.ts";
export { UI } from "./ui.ts";
export { Units } from "./units.ts";
export { AnonymousUtils } from "./user/AnonymousUtils.ts";
export { Role } from "./user/Role.ts";
export { Session, type SessionAttributes } from "./user/Session.ts";
export {
  type AuthData,
  type AuthProvider,
  beforeLogOut,
  type LogInOptions,
  User,
  type UserAttributes,
} from "./user/User.ts";
export { type EnsRecords, ensName, ensRecords } from "./wallet/ens.ts";
export * from "./wallet/index.ts";
export { lookupAddress, resolveName } from "./web3api/names.ts";
export type * from "./web3api/results.ts";
export { SolanaAPI, type SolanaParams } from "./web3api/solana.ts";
export { type DataService, setConnectedAccount, Web3API } from "./web3api/web3api.ts";

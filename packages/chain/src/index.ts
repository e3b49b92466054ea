export { abiEntriesOf } from "./abi/abiEntries.ts";
export { decodeEvent } from "./abi/decodeEvent.ts";
export type { ChainService, ChainServiceConfig, TokenReference } from "./chainService.ts";
export { createChainService } from "./createChainService.ts";
export { EventsRemovedError } from "./endpoints/eventRetention.ts";
export { MISSING_ENDPOINTS } from "./endpoints/missingEndpoints.ts";
export {
  describeParameters,
  openApi,
  type ParameterDescription,
  responseSchema,
  responseSchemas,
} from "./endpoints/openapi.ts";
export type { Route } from "./endpoints/route.ts";
export type { EndpointRow } from "./endpoints/rows/row.ts";
export { ENDPOINTS } from "./endpoints/table.ts";
export type { BlockReader, TokenLabel, TransactionSignature } from "./events/blockReader.ts";
export {
  type BlockReference,
  type ChainEvent,
  type ChainEventReader,
  type EventCursor,
  endOfBlock,
} from "./events/chainEvents.ts";
export {
  type AbiEventTopic,
  parseAddress,
  parseEventSelection,
  parseEvents,
  parseTopic,
} from "./events/parseSelection.ts";
export type { Selection } from "./events/selections.ts";
export type { IndexedRange } from "./indexer/scope.ts";
export {
  type ChainConfig,
  ENTRY_POINT_VERSIONS,
  type EntryPoint,
  EXCHANGE_KINDS,
  type Exchange,
  type IndexDatabase,
  type Labels,
  MARKETPLACE_NAMES,
  type Market,
  type Marketplace,
} from "./model/chainConfig.ts";
export { type ChainStatus, isFollowing, type NodeHealth } from "./model/chainStatus.ts";
export type { Logger } from "./model/logger.ts";
export { indexOf, type LogRow, type NftTransferRow, type TransactionRow } from "./model/rows.ts";
export {
  APPROVAL_FOR_ALL_TOPIC,
  APPROVAL_TOPIC,
  addressOf,
  isAddressTopic,
  transferParties,
} from "./model/topics.ts";
export { decodeDataUri, isDataUri } from "./nft/content.ts";
export { ContentUnavailableError, type FetchContent } from "./nft/fetchContent.ts";
export type { ContractCall } from "./node/chainNode.ts";
export type { InternalTransfer } from "./node/internalTransfers.ts";
export { CHAIN_PRESETS, type ChainPreset, chainPresetOf, findChainPreset } from "./presets/chainPresets.ts";
export { marketOf } from "./prices/knownMarkets.ts";
export type { BlockContents } from "./store/blockContents.ts";
export { runInGroup } from "./store/requestGroup.ts";

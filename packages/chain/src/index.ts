export type { ChainService, ChainServiceConfig, TokenReference } from "./chainService.ts";
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
export {
  type BlockReference,
  type ChainEvent,
  type ChainEventReader,
  type EventCursor,
  endOfBlock,
} from "./events/chainEvents.ts";
export { parseAddress, parseEventSelection } from "./events/eventSelection.ts";
export type { Selection } from "./events/selections.ts";
export type { ChainConfig, Exchange, Market, Marketplace } from "./model/chainConfig.ts";
export type { ChainStatus } from "./model/chainStatus.ts";
export type { Logger } from "./model/logger.ts";
export { decodeDataUri, isDataUri } from "./nft/content.ts";
export { ContentUnavailableError, type FetchContent } from "./nft/fetchContent.ts";
export type { ContractCall } from "./node/chainNode.ts";
export { createChainService } from "./service.ts";
export { runInGroup } from "./store/requestGroup.ts";

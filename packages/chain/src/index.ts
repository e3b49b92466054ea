export { openApi } from "./endpoints/openapi.ts";
export { endpointsPage } from "./endpoints/page.ts";
export { type Fields, type FieldType, SCHEMAS, type Schema } from "./endpoints/schemas.ts";
export { ENDPOINTS, type EndpointRow, type Kind, type ParameterRow } from "./endpoints/table.ts";
export { addressOf, eventSelection } from "./feed/eventSelection.ts";
export { type BlockReference, type ChainFeed, endOf, type FeedEvent, type FeedPlace } from "./feed/feed.ts";
export type { Selection } from "./feed/selections.ts";
export { dataUriContent, isDataUri } from "./nft/content.ts";
export { ContentRefused, type FetchContent } from "./nft/fetchedContent.ts";
export { createChainService } from "./service.ts";
export { runInGroup } from "./store/requestGroup.ts";
export type {
  ChainConfig,
  ChainService,
  ChainServiceConfig,
  ChainStatus,
  ContractCall,
  Exchange,
  Holding,
  Log,
  Market,
  Marketplace,
  Route,
} from "./types.ts";

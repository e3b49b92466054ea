export { type ChangeFeed, createLocalFeed, createSharedFeed } from "./changeFeed.ts";
export type { Serialize as Present } from "./liveQueryDispatcher.ts";
export {
  createLiveQueryServer as createLive,
  DEFAULT_LIVE_QUERY_LIMITS as DEFAULT_LIVE_LIMITS,
  type LiveQueryDependencies as LiveParts,
  type LiveQueryLimits as LiveLimits,
  type LiveQueryServer as Live,
} from "./liveQueryServer.ts";

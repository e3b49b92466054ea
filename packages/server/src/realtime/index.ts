export { type ChangeFeed, createLocalFeed } from "./changeFeed.ts";
export type { Serialize } from "./liveQueryDispatcher.ts";
export {
  createLiveQueryServer,
  DEFAULT_LIVE_QUERY_LIMITS,
  type LiveQueryDependencies,
  type LiveQueryLimits,
  type LiveQueryServer,
} from "./liveQueryServer.ts";
export { InProcessSocket } from "./liveSocket.ts";
export { openLiveQueries } from "./openLiveQueries.ts";

export { type ChangeFeed, createLocalFeed, createSharedFeed } from "./feed.ts";
export { createLive, DEFAULT_LIVE_LIMITS, type Live, type LiveLimits, type LiveParts } from "./live.ts";
export type { Present } from "./teller.ts";

export {
  createLive,
  DEFAULT_LIVE_LIMITS,
  type Live,
  type LiveLimits,
  type LiveParts,
  type Present,
} from "./live.ts";

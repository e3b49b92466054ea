export type { LiveQueryServer } from "./liveQueryServer.ts";
export { CLOSE_ABNORMAL, InProcessSocket } from "./liveSocket.ts";
export { MESSAGE_JSON_LIMITS } from "./messageFields.ts";
export { openLiveQueries } from "./openLiveQueries.ts";

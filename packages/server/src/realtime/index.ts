export type { LiveQueryServer } from "./liveQueryServer.ts";
export { CLOSE_ABNORMAL, InProcessSocket } from "./liveSocket.ts";
export { openLiveQueries } from "./openLiveQueries.ts";

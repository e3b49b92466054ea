export type { LiveQueryServer } from "./liveQueryServer.ts";
export { InProcessSocket } from "./liveSocket.ts";
export { openLiveQueries } from "./openLiveQueries.ts";

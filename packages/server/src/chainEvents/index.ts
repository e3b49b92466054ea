export { ChainEvents } from "./chainEvents.ts";
export { ChainStreams } from "./streams/chainStreams.ts";
export { type StreamRoute, streamRoutes } from "./streams/streamRoutes.ts";
export { DELIVERY_POLICY } from "./webhookQueue.ts";

export { ChainEvents } from "./chainEvents.ts";
export { DELIVERY_POLICY } from "./webhookQueue.ts";

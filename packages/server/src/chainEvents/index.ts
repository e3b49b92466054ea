export { ChainEvents } from "./chainEvents.ts";
export { watchOptions } from "./watch.ts";

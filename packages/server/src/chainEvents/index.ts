export { ChainEvents } from "./chainEvents.ts";
export { parseWatchList as watchOptions } from "./watch.ts";

export { ChainEvents } from "./chainEvents.ts";
export { parseWatchList } from "./watch.ts";

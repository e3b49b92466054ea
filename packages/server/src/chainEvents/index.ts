export { ChainEvents } from "./chainEvents.ts";

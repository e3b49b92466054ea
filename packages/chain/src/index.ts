export { createChainService } from "./service.ts";
export type { ChainConfig, ChainService, ChainServiceConfig, ChainStatus, Log, Route } from "./types.ts";

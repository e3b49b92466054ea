export { createChainService } from "./service.ts";
export type {
  ChainConfig,
  ChainService,
  ChainServiceConfig,
  ChainStatus,
  ContractCall,
  Log,
  Route,
} from "./types.ts";

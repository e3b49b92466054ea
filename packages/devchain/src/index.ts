export type { ContractName } from "./artifacts.ts";
export { readArtifact } from "./artifacts.ts";
export { devContracts } from "./contracts.ts";
export type { DevContract } from "./devContract.ts";
export type { DevChain } from "./devchain.ts";
export { startDevChain } from "./devchain.ts";
export type { Traffic } from "./traffic.ts";
export { generateTraffic } from "./traffic.ts";

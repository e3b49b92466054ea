export type { DevAccount } from "./accounts.ts";
export { DEV_MNEMONIC } from "./accounts.ts";
export type { Artifact, ContractName } from "./artifacts.ts";
export { readArtifact } from "./artifacts.ts";
export type { DevContract, DevContracts } from "./contracts.ts";
export type { DevChain, DevChainOptions } from "./devchain.ts";
export { startDevChain } from "./devchain.ts";

import type { ChainConfig, EntryPoint } from "../model/chainConfig.ts";

/** The EntryPoint contracts of the ERC-4337 authors, with the same addresses on all chains. */
const ENTRY_POINTS: readonly EntryPoint[] = [
  { version: "0.6", address: "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789" },
  { version: "0.7", address: "0x0000000071727de22e5e9d8baf0edac6f37da032" },
  { version: "0.8", address: "0x4337084d9e255ff0702461cf8895ce9e3b5ff108" },
];

/** The EntryPoint contracts of a chain, by address in lower case. */
export function entryPointsOf({ entryPoints = ENTRY_POINTS }: ChainConfig): Map<string, EntryPoint> {
  return new Map(entryPoints.map((each) => [each.address.toLowerCase(), each]));
}

import { UPGRADED_TOPIC } from "../model/topics.ts";

/** The contracts whose code was replaced (ERC-1967), and possibly their metadata with it. */
export function upgradedContracts(logs: readonly { address: string; topics: readonly string[] }[]): string[] {
  return [...new Set(logs.flatMap(({ address, topics }) => (topics[0] === UPGRADED_TOPIC ? [address] : [])))];
}

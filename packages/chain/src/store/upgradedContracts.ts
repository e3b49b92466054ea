import { BEACON_UPGRADED_TOPIC, DIAMOND_CUT_TOPIC, UPGRADED_TOPIC } from "../model/topics.ts";

const TOPICS: ReadonlySet<string | undefined> = new Set([
  UPGRADED_TOPIC,
  BEACON_UPGRADED_TOPIC,
  DIAMOND_CUT_TOPIC,
]);

/**
 * The contracts whose code was replaced (ERC-1967, ERC-2535), and possibly their metadata with it. A beacon is the code of
 * other contracts: see `proxiesOf()`.
 */
export function upgradedContracts(logs: readonly { address: string; topics: readonly string[] }[]): string[] {
  return [...new Set(logs.flatMap(({ address, topics }) => (TOPICS.has(topics[0]) ? [address] : [])))];
}

/** The condition of the index of the proxies of beacons, and the beacon of a log; queries repeat them word for word. */
export function beaconLogs(literal: (hex: string) => string): { condition: string; beacon: string } {
  return { condition: `topic0 = ${literal(BEACON_UPGRADED_TOPIC)}`, beacon: "substr(topic1, 13)" };
}

/** A query for the contracts whose code is or was that of a beacon. `beacons` is a query in parentheses. */
export function proxiesOf(beacons: string, literal: (hex: string) => string): string {
  const { condition, beacon } = beaconLogs(literal);
  return `SELECT address FROM logs WHERE ${condition} AND ${beacon} IN ${beacons}`;
}

import type { IndexLocation } from "../indexLocation.ts";
import type { IndexReader, ReadLimits } from "../indexReader.ts";
import { type ClickHouse, openClickHouse } from "./clickhouseConnection.ts";
import { ClickHouseReader } from "./clickhouseReader.ts";

/**
 * Opens the events of an index that are in ClickHouse; undefined if they are in the SQL database, which `state` reads.
 * Closing the reader closes the connections.
 */
export async function openEvents(
  { clickHouseUrl }: IndexLocation,
  state: IndexReader,
  { connections, limits }: { connections: number; limits?: ReadLimits | undefined },
): Promise<{ clickHouse: ClickHouse; reader: ClickHouseReader } | undefined> {
  if (clickHouseUrl === undefined) return undefined;
  const clickHouse = await openClickHouse(clickHouseUrl, connections);
  return { clickHouse, reader: new ClickHouseReader(clickHouse, state, limits) };
}

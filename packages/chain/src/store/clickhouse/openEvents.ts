import type { IndexReader, ReadLimits } from "../indexReader.ts";
import { type ClickHouse, openClickHouse } from "./clickhouseConnection.ts";
import { ClickHouseReader } from "./clickhouseReader.ts";

/**
 * Opens the events of an index that are in the ClickHouse with this URL; undefined without one. `state` reads the SQL
 * database of the index. Closing the reader closes the connections.
 */
export async function openEvents(
  clickHouseUrl: string | undefined,
  state: IndexReader,
  { connections, limits }: { connections: number; limits?: ReadLimits | undefined },
): Promise<{ clickHouse: ClickHouse; reader: ClickHouseReader } | undefined> {
  if (clickHouseUrl === undefined) return undefined;
  const clickHouse = await openClickHouse(clickHouseUrl, connections);
  return { clickHouse, reader: new ClickHouseReader(clickHouse, state, limits) };
}

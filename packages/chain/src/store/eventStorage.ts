import { readFact } from "./facts.ts";
import type { IndexLocation } from "./indexLocation.ts";
import type { IndexReader } from "./indexReader.ts";
import { EVENTS_VERSION } from "./schema.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

/** Where the events of an index are. */
export type EventStorage = "sql" | "clickhouse";

/** What the definition of an index has in addition if its events are not in the SQL database. */
export interface EventDefinition {
  layout: number;
  events: string;
}

const CLICKHOUSE_DEFINITION: EventDefinition = { layout: EVENTS_VERSION, events: "clickhouse" };

/** What a storage adds to the definition of an index that this version builds. */
export function eventDefinitionIn(storage: EventStorage): EventDefinition | undefined {
  return storage === "clickhouse" ? CLICKHOUSE_DEFINITION : undefined;
}

/** Where the events of a new index are. */
export function wantedEventStorage({ clickHouseUrl }: IndexLocation): EventStorage {
  return clickHouseUrl === undefined ? "sql" : "clickhouse";
}

/** Where the events of the index are that `reader` finds; undefined if it was not begun. */
export async function readEventStorage(reader: IndexReader): Promise<EventStorage | undefined> {
  const definition = await readFact(reader, DEFINITION_FACT);
  if (definition === undefined) return undefined;
  const { events }: Partial<EventDefinition> = JSON.parse(definition);
  return events === undefined ? "sql" : "clickhouse";
}

import { expect, it } from "vitest";
import { createDatabase } from "../../test/indexDatabase.ts";
import { indexLocationOf } from "../createChainService.ts";
import { ChainStore } from "./chainStore.ts";
import type { IndexLocation } from "./indexLocation.ts";
import { CheckpointConflictError } from "./indexWriter.ts";
import { openReader } from "./openReader.ts";
import { createPostgresSchema, openPostgres } from "./postgresConnection.ts";
import { createPostgresWriter } from "./postgresIndexWriter.ts";
import { createSqliteWriter } from "./sqliteIndexWriter.ts";

async function openWriter(location: IndexLocation) {
  if (location.kind === "sqlite") return createSqliteWriter(location.path);
  await createPostgresSchema(location);
  return createPostgresWriter(openPostgres(location, "writes", 1), async () => undefined);
}

it.each(["SQLite", "PostgreSQL"] as const)(
  "changeState() on %s saves a state only if it is still the expected one",
  async (name) => {
    const { location, remove } = await createDatabase(name);
    const place = indexLocationOf(location, 1);
    const writer = await openWriter(place);
    const store = new ChainStore(await openReader(place));
    const change = (before: string | undefined, after: string) =>
      writer.changeState({ key: "events", before, after });
    try {
      await expect(change("first", "second")).rejects.toThrow(CheckpointConflictError);
      await change(undefined, "first");
      await expect(change(undefined, "other")).rejects.toThrow(CheckpointConflictError);
      await change("first", "second");
      await expect(change("first", "third")).rejects.toThrow(CheckpointConflictError);
      expect((await store.properties()).get("events")).toBe("second");
    } finally {
      await store.close();
      await writer.close();
      await remove();
    }
  },
);

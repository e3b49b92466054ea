import type { ConfiguredModule } from "@purse/kernel";
import type { AccessSettings } from "./data/permissions/classAccess.ts";
import { openSchemas as openSchemasWith } from "./data/schema/openSchemas.ts";
import type { Schemas } from "./data/schema/schemas.ts";
import { systemClasses } from "./data/schema/systemClasses.ts";
import type { Store } from "./database/store.ts";

/**
 * Loads the classes of a database, including built-in ones and those of modules, for commands that run without a server.
 * With the settings, classes that it creates are as closed as those of a server.
 */
export function openSchemas(
  store: Store,
  modules: readonly ConfiguredModule[] = [],
  settings?: AccessSettings,
): Promise<Schemas> {
  return openSchemasWith(store, systemClasses(modules.flatMap(({ classes }) => classes)), settings);
}

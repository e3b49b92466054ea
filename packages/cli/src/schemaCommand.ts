import type { JsonObject } from "@purse/protocol";
import { applySchemas, type Config, openSchemas, planSchemas, type Store } from "@purse/server";
import { UsageError } from "./usageError.ts";

/**
 * Executes `schema diff`, which shows what the next start would change in the classes, or `schema apply`, which changes
 * them without a start. Returns the changes.
 */
export async function runSchemaCommand(
  store: Store,
  config: Config,
  action: string | undefined,
): Promise<{ text: string; json: JsonObject }> {
  const { schemas: definitions, schemaOptions, compatibility } = config;
  const schemas = await openSchemas(store, config.modules, config);
  const options = { ...schemaOptions, isParseCompatible: compatibility === "parse" };
  switch (action) {
    case undefined:
    case "diff": {
      const changes = planSchemas(schemas, definitions, options).flatMap(({ lines }) => lines);
      return { text: changes.length > 0 ? changes.join("\n") : "Nothing would change.", json: { changes } };
    }
    case "apply": {
      await schemaOptions.beforeMigration?.();
      const changes = await applySchemas(schemas, definitions, options);
      await schemaOptions.afterMigration?.();
      return { text: changes.length > 0 ? changes.join("\n") : "Nothing has changed.", json: { changes } };
    }
    default:
      throw new UsageError("schema takes diff or apply");
  }
}

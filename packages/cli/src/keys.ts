import type { JsonValue } from "@purse/protocol";
import { type ApiKey, ApiKeys, type Config, openSchemas, type Store } from "@purse/server";
import { UsageError } from "./usageError.ts";

/** Executes `keys …` and returns its output as text and as JSON. Throws Error with a user-facing message. */
export async function runKeysCommand(
  store: Store,
  { modules }: Pick<Config, "modules">,
  [action, which, ...others]: string[],
  values: { name?: string; limit?: string; key?: string },
): Promise<{ text: string; json: JsonValue }> {
  const unexpected = action === "revoke" ? others[0] : which;
  if (unexpected !== undefined) throw new UsageError(`keys ${action} takes no "${unexpected}"`);
  const schemas = await openSchemas(store, modules);
  const keys = new ApiKeys({
    store,
    schemaOf: () => schemas.require("_ApiKey"),
    clock: Date.now,
    onError: (error) => {
      throw error;
    },
  });
  switch (action) {
    case "add": {
      const limit = values.limit === undefined ? undefined : Number(values.limit);
      const { key, id } = await keys.create({ name: values.name, limit, key: values.key });
      const text =
        values.key === undefined
          ? `${key}\n\nSend it in the header X-API-Key. It is not kept, so it cannot be shown again. Its id is ${id}.`
          : `${id}: the key is good from now on`;
      return { text, json: { id, ...(values.key === undefined && { key }) } };
    }
    case "list": {
      const all = await keys.list();
      return { text: table(all), json: JSON.parse(JSON.stringify(all)) };
    }
    case "revoke": {
      if (which === undefined) throw new UsageError("keys revoke takes the id or the name of a key");
      const { id, name } = await keys.revoke(which);
      const label = name === undefined ? id : `${id} (${name})`;
      return { text: `${label}: revoked`, json: { id } };
    }
    default:
      throw new UsageError("keys takes add, list or revoke");
  }
}

function table(keys: ApiKey[]): string {
  if (keys.length === 0) return "There are no keys.";
  const rows = [
    ["id", "name", "per minute", "made", "last used", ""],
    ...keys.map(({ id, name, limit, createdAt, lastUsedAt, revokedAt }) => [
      id,
      name ?? "",
      limit === undefined ? "" : String(limit),
      createdAt.toISOString(),
      lastUsedAt?.toISOString() ?? "never",
      revokedAt === undefined ? "" : `revoked ${revokedAt.toISOString()}`,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

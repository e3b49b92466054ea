import { type ApiKey, ApiKeys, openSchemas, type Store } from "@purse/server";

/** Executes `keys …` and returns its output. Throws Error with a user-facing message. */
export async function runKeysCommand(
  store: Store,
  [action, which, ...others]: string[],
  values: { name?: string; limit?: string; key?: string },
): Promise<string> {
  const unexpected = action === "revoke" ? others[0] : which;
  if (unexpected !== undefined) throw new Error(`keys ${action} takes no "${unexpected}"`);
  const schemas = await openSchemas(store);
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
      return values.key === undefined
        ? `${key}\n\nSend it in the header X-API-Key. It is not kept, so it cannot be shown again. Its id is ${id}.`
        : `${id}: the key is good from now on`;
    }
    case "list":
      return table(await keys.list());
    case "revoke": {
      if (which === undefined) throw new Error("keys revoke takes the id or the name of a key");
      const { id, name } = await keys.revoke(which);
      return `${id}${name === undefined ? "" : ` (${name})`}: revoked`;
    }
    default:
      throw new Error("keys takes add, list or revoke");
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

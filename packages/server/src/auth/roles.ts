import { idsCondition } from "../data/objects/include.ts";
import { findRows } from "../database/serverRows.ts";
import type { AuthDependencies } from "./authDependencies.ts";

/**
 * Names of a user's roles including inherited ones, each once; cycles are handled. `gated` resolves to the IDs of the
 * roles that the user is a member of by token gate.
 */
export async function rolesOf(
  userId: string,
  gated: Promise<string[]>,
  { store, schemaOf }: Pick<AuthDependencies, "store" | "schemaOf">,
): Promise<string[]> {
  const ids = new Set<string>();
  const [assigned, gatedIds] = await Promise.all([store.ownersInRelation("_Role", "users", [userId]), gated]);
  let level = [...new Set([...assigned, ...gatedIds])];
  while (level.length > 0) {
    for (const id of level) ids.add(id);
    const parents = await store.ownersInRelation("_Role", "roles", level);
    level = parents.filter((id) => !ids.has(id));
  }
  if (ids.size === 0) return [];
  const rows = await findRows(store, schemaOf("_Role"), { where: idsCondition([...ids]), limit: ids.size });
  return rows.map(({ name }) => String(name));
}

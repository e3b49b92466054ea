import { idsCondition } from "../objects/include.ts";
import type { AccountsParts } from "./parts.ts";

/**
 * The names of a user's roles with those that they are part of, each once: cycles end. `gated` are the ids of the
 * roles that the user is in for what they hold.
 */
export async function rolesOf(
  userId: string,
  gated: Promise<string[]>,
  { store, schemaOf }: AccountsParts,
): Promise<string[]> {
  const ids = new Set<string>();
  const [given, held] = await Promise.all([store.ownersInRelation("_Role", "users", [userId]), gated]);
  let level = [...new Set([...given, ...held])];
  while (level.length > 0) {
    for (const id of level) ids.add(id);
    const above = await store.ownersInRelation("_Role", "roles", level);
    level = above.filter((id) => !ids.has(id));
  }
  if (ids.size === 0) return [];
  const query = {
    schema: schemaOf("_Role"),
    where: idsCondition([...ids]),
    order: [],
    skip: 0,
    principals: null,
  };
  const texts = await store.find({ ...query, limit: ids.size });
  return texts.map((text): string => JSON.parse(text).name);
}

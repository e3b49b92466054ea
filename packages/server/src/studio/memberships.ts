/** Why a user is a member of a role (by id): directly, by a token gate, or because the role inherits from `from`. */
export type Membership = { id: string } & ({ by: "user" | "gate" } | { by: "role"; from: string });

/** Resolves all roles of a user from direct memberships and token gates, nearest first. Handles cycles. */
export function resolveMemberships({
  direct,
  gated,
  edges,
}: {
  direct: readonly string[];
  gated: readonly string[];
  /** Members of `child` are also members of `parent`. */
  edges: readonly { parent: string; child: string }[];
}): Membership[] {
  const parents = new Map<string, string[]>();
  for (const { parent, child } of edges) {
    const known = parents.get(child);
    if (known) known.push(parent);
    else parents.set(child, [parent]);
  }
  const found = new Map<string, Membership>();
  for (const id of direct) found.set(id, { id, by: "user" });
  for (const id of gated) if (!found.has(id)) found.set(id, { id, by: "gate" });
  // Iterating over a map includes entries that are added meanwhile, so this is a breadth-first search.
  for (const from of found.keys()) {
    for (const id of parents.get(from) ?? []) if (!found.has(id)) found.set(id, { id, by: "role", from });
  }
  return [...found.values()];
}

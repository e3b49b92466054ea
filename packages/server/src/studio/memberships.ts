/** How somebody came to be in a role, by ids: named in it, by what they hold, or because they are in the role `from`. */
export type Membership = { id: string } & ({ by: "user" | "gate" } | { by: "role"; from: string });

/** The roles of somebody who was given some and holds what others ask for, the nearest first, each once: rings end. */
export function membershipsOf({
  given,
  gated,
  edges,
}: {
  given: readonly string[];
  gated: readonly string[];
  /** Members of `child` are members of `parent` too. */
  edges: readonly { parent: string; child: string }[];
}): Membership[] {
  const parents = new Map<string, string[]>();
  for (const { parent, child } of edges) {
    const known = parents.get(child);
    if (known) known.push(parent);
    else parents.set(child, [parent]);
  }
  const found = new Map<string, Membership>();
  for (const id of given) found.set(id, { id, by: "user" });
  for (const id of gated) if (!found.has(id)) found.set(id, { id, by: "gate" });
  // A map tells what is added to it while it is walked: the walk goes level by level.
  for (const from of found.keys()) {
    for (const id of parents.get(from) ?? []) if (!found.has(id)) found.set(id, { id, by: "role", from });
  }
  return [...found.values()];
}

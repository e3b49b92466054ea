import type { StudioRoles } from "@purse/server/studio-api";
import { useStudioQuery } from "./useStudioQuery.ts";

export type RoleEdge = StudioRoles["edges"][number];
export type Role = StudioRoles["roles"][number];

/** All roles and their links. */
export function useRoles() {
  return useStudioQuery("/roles", {});
}

/** Adjacent role ids by role id: "up" to parent roles, "down" to child roles. */
export function adjacency(
  edges: readonly RoleEdge[],
  direction: "up" | "down",
): ReadonlyMap<string, string[]> {
  const result = new Map<string, string[]>();
  for (const { parent, child } of edges) {
    const [from, to] = direction === "up" ? [child, parent] : [parent, child];
    const known = result.get(from);
    if (known) known.push(to);
    else result.set(from, [to]);
  }
  return result;
}

/** Role ids reachable from a role, nearest first, each with its predecessor. Cycles are followed once. */
export function reachableFrom(
  from: string,
  neighbors: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  const queue = [from];
  for (const id of queue) {
    for (const to of neighbors.get(id) ?? []) {
      if (to === from || result.has(to)) continue;
      result.set(to, id);
      queue.push(to);
    }
  }
  return result;
}

/** Returns a function from a role name to the names of its ancestors. */
export function ancestorNames({ roles, edges }: Pick<StudioRoles, "roles" | "edges">) {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const ids = new Map(roles.map(({ id, name }) => [name, id]));
  const parents = adjacency(edges, "up");
  return (name: string): string[] => {
    const id = ids.get(name);
    return id === undefined
      ? []
      : [...reachableFrom(id, parents).keys()].flatMap((each) => names.get(each) ?? []);
  };
}

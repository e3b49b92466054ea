import type { StudioRoles } from "@purse/protocol";
import { useAnswer } from "./asking.ts";

export type RoleEdge = StudioRoles["edges"][number];
export type Role = StudioRoles["roles"][number];

/** All roles, and which are part of which. */
export function useRoles() {
  return useAnswer<StudioRoles>("/roles");
}

/** Ids by id, along the edges: up to those whose rights a role has too, or down to those whose members it has. */
export function neighbours(edges: readonly RoleEdge[], way: "up" | "down"): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { parent, child } of edges) {
    const [from, to] = way === "up" ? [child, parent] : [parent, child];
    const known = found.get(from);
    if (known) known.push(to);
    else found.set(from, [to]);
  }
  return found;
}

/** All that is reached from a role, with the role before it on the way, the nearest first; rings end. */
export function reached(
  from: string,
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [from];
  for (const id of waiting) {
    for (const to of next.get(id) ?? []) {
      if (to === from || found.has(to)) continue;
      found.set(to, id);
      waiting.push(to);
    }
  }
  return found;
}

/** The names of the roles whose rights the members of a role have too. */
export function namesAbove({ roles, edges }: Pick<StudioRoles, "roles" | "edges">) {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const ids = new Map(roles.map(({ id, name }) => [name, id]));
  const up = neighbours(edges, "up");
  return (name: string): string[] => {
    const id = ids.get(name);
    return id === undefined ? [] : [...reached(id, up).keys()].flatMap((each) => names.get(each) ?? []);
  };
}

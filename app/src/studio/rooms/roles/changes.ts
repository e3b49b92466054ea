import type { JsonObject, StudioRoles } from "@purse/protocol";
import { StudioFailure } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";
import { neighbours, type RoleEdge, reached } from "../parts/roles.ts";

/**
 * The ring that a role would close by becoming part of another, as ids from the parent on; undefined where it would
 * close none.
 */
export function ringBy(edges: readonly RoleEdge[], parent: string, child: string): string[] | undefined {
  if (parent === child) return [parent];
  const before = reached(child, neighbours(edges, "down"));
  if (!before.has(parent)) return undefined;
  const way = [parent];
  for (let at = before.get(parent); at !== undefined && at !== child; at = before.get(at)) way.push(at);
  return [parent, child, ...way.slice(1).reverse()];
}

type Way = "AddRelation" | "RemoveRelation";

/** Changes of roles, as rows of `_Role`. */
export function useRoleChanges() {
  const studio = useStudio();
  const pathOf = (id: string) => `/data/_Role/rows/${encodeURIComponent(id)}`;
  const relate = (role: string, key: "users" | "roles", way: Way, className: string, objectId: string) =>
    studio.put(pathOf(role), {
      fields: { [key]: { __op: way, objects: [{ __type: "Pointer", className, objectId }] } },
    });
  return {
    create: (name: string) => studio.post("/data/_Role/rows", { fields: { name, ACL: {} } }),
    remove: (id: string) => studio.delete(pathOf(id)),
    addUser: (role: string, user: string) => relate(role, "users", "AddRelation", "_User", user),
    removeUser: (role: string, user: string) => relate(role, "users", "RemoveRelation", "_User", user),
    removeChild: (parent: string, child: string) => relate(parent, "roles", "RemoveRelation", "_Role", child),
    /** Asks for the roles as they are now: somebody else may have closed half of a ring. Throws StudioFailure. */
    async addChild(parent: string, child: string): Promise<unknown> {
      const { edges } = await studio.get<StudioRoles>("/roles");
      if (ringBy(edges, parent, child)) {
        throw new StudioFailure(409, {
          code: 142,
          error: "By now these roles would lead back to themselves.",
        });
      }
      return relate(parent, "roles", "AddRelation", "_Role", child);
    },
    setGate: (id: string, gate: JsonObject | undefined) =>
      studio.put(pathOf(id), { fields: { gate: gate ?? { __op: "Delete" } } }),
  };
}

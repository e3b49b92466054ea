import type { JsonObject } from "@purse/protocol";
import { StudioRequestError } from "../../api.ts";
import { adjacency, type RoleEdge, reachableFrom } from "../../components/useRoles.ts";
import { useStudio } from "../../StudioContext.tsx";

/**
 * The cycle that a link would create, as role ids starting with the parent; undefined if it would create none.
 */
export function findCycle(edges: readonly RoleEdge[], parent: string, child: string): string[] | undefined {
  if (parent === child) return [parent];
  const cameFrom = reachableFrom(child, adjacency(edges, "down"));
  if (!cameFrom.has(parent)) return undefined;
  const path = [parent];
  for (
    let current = cameFrom.get(parent);
    current !== undefined && current !== child;
    current = cameFrom.get(current)
  )
    path.push(current);
  return [parent, child, ...path.slice(1).reverse()];
}

type RelationOperation = "AddRelation" | "RemoveRelation";

/** Mutations of `_Role` rows. */
export function useRoleChanges() {
  const studio = useStudio();
  const update = (objectId: string, fields: JsonObject) =>
    studio.put("/data/:className/rows/:objectId", { className: "_Role", objectId, fields });
  const relate = (
    role: string,
    key: "users" | "roles",
    path: RelationOperation,
    className: string,
    objectId: string,
  ) => update(role, { [key]: { __op: path, objects: [{ __type: "Pointer", className, objectId }] } });
  return {
    create: (name: string) =>
      studio.post("/data/:className/rows", { className: "_Role", fields: { name, ACL: {} } }),
    remove: (id: string) =>
      studio.delete("/data/:className/rows/:objectId", { className: "_Role", objectId: id }),
    addUser: (role: string, user: string) => relate(role, "users", "AddRelation", "_User", user),
    removeUser: (role: string, user: string) => relate(role, "users", "RemoveRelation", "_User", user),
    removeChild: (parent: string, child: string) => relate(parent, "roles", "RemoveRelation", "_Role", child),
    /** Reloads the roles first, since another operator may have added a link. Throws StudioRequestError. */
    async addChild(parent: string, child: string): Promise<unknown> {
      const { edges } = await studio.get("/roles", {});
      if (findCycle(edges, parent, child)) {
        throw new StudioRequestError(409, {
          code: 142,
          error: "Someone else changed these roles: this link would now create a cycle.",
        });
      }
      return relate(parent, "roles", "AddRelation", "_Role", child);
    },
    setGate: (id: string, gate: JsonObject | undefined) => update(id, { gate: gate ?? { __op: "Delete" } }),
  };
}

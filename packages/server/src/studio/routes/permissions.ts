import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { TokenGateResult } from "../../auth/evaluateTokenGates.ts";
import type { Config } from "../../config/loadConfig.ts";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import { findRows } from "../../database/serverRows.ts";
import { invalidParameter } from "../../studioApi/parseInput.ts";
import {
  permissionEndpoints as endpoints,
  type StudioMembership,
  type StudioPermissionCheck,
  type StudioRoles,
} from "../../studioApi/permissions.ts";
import { checkPermission, parseRow } from "../checkPermission.ts";
import { resolveMemberships } from "../memberships.ts";
import { findRoleCycles } from "../roleCycles.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import type { RouteDependencies } from "./routeContext.ts";

const PAGE_SIZE = 1_000;

export interface PermissionDependencies extends RouteDependencies {
  protectedFields: Config["protectedFields"];
  evaluateGates(userId: string): Promise<TokenGateResult[]>;
}

/** Routes for checking permissions, and for the role hierarchy. */
export function permissionRoutes(dependencies: PermissionDependencies): StudioRoute[] {
  const { store, schemas, rules, objects } = dependencies;
  return [route(endpoints.check, check), route(endpoints.roles, roles)];

  async function check({
    params,
    context,
  }: Requests<typeof endpoints>["check"]): Promise<StudioPermissionCheck> {
    const { className, operation, user, objectId } = params;
    const schema = schemas.get(className);
    if (!schema)
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist.`, 404);
    const auth = user === undefined ? ({ kind: "anonymous" } as const) : await dependencies.asUser(user);
    if (auth.kind !== "anonymous" && auth.kind !== "user")
      throw invalidParameter("user must be the id of a user");
    const row = objectId === undefined ? undefined : parseRow(await store.get(schema, objectId, null));
    if (objectId !== undefined && !row)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    const request = { ...context, auth };
    const isRead = operation === "get" || operation === "find" || operation === "count";
    const isVisible =
      row && isRead ? await isVisibleTo(request, className, operation, String(row.objectId)) : undefined;
    const result = await checkPermission({
      schema,
      operation,
      auth,
      row,
      rules: rules.get(className),
      protectedFields: dependencies.protectedFields?.[className],
      isVisible,
      request,
    });
    return { ...result, ...(await resolveRoles(auth)) };
  }

  /** Returns the roles of a user, why they are members, and the results of the token gates. */
  async function resolveRoles(
    auth: AuthContext,
  ): Promise<Pick<StudioPermissionCheck, "memberships" | "gates">> {
    if (auth.kind !== "user") return { memberships: [], gates: [] };
    const { userId } = auth;
    const [direct, gateResults, { roles, edges }] = await Promise.all([
      store.ownersInRelation("_Role", "users", [userId]),
      dependencies.evaluateGates(userId),
      roleGraph(),
    ]);
    const names = new Map(roles.map(({ id, name }) => [id, name]));
    const gated = gateResults.flatMap(({ roleId, isMember }) => (isMember ? [roleId] : []));
    return {
      memberships: resolveMemberships({ direct, gated, edges }).flatMap((each): StudioMembership[] => {
        const role = names.get(each.id);
        // A relation may refer to a deleted role.
        if (role === undefined) return [];
        return each.by === "role"
          ? [{ role, by: each.by, from: names.get(each.from) ?? each.from }]
          : [{ role, by: each.by }];
      }),
      gates: gateResults.flatMap(({ roleId, isMember, balance: held, min }) => {
        const role = names.get(roleId);
        if (role === undefined) return [];
        return [{ role, isMember, min: String(min), ...(held !== undefined && { held: String(held) }) }];
      }),
    };
  }

  /** Checks whether an actual read returns the object. */
  async function isVisibleTo(
    request: RequestContext,
    className: string,
    operation: "get" | "find" | "count",
    objectId: string,
  ): Promise<boolean> {
    try {
      if (operation === "get") {
        await objects.get(request, className, objectId, { keys: "objectId" });
        return true;
      }
      const query: JsonObject =
        operation === "find" ? { limit: 1, keys: "objectId" } : { limit: 0, count: 1 };
      // A query for a single objectId would need the permission to get.
      const where = { objectId: { $in: [objectId] } };
      const text = await objects.find(request, className, { where, ...query });
      const { results, count = 0 }: { results: JsonObject[]; count?: number } = JSON.parse(text);
      return results.length + count > 0;
    } catch (error) {
      if (error instanceof ProtocolError) return false;
      throw error;
    }
  }

  async function roles(): Promise<StudioRoles> {
    const { roles, edges } = await roleGraph();
    const names = new Map(roles.map(({ id, name }) => [id, name]));
    return {
      roles,
      edges,
      cycles: findRoleCycles(edges).map((cycle) => cycle.map((id) => names.get(id) ?? id)),
    };
  }

  async function roleGraph(): Promise<Pick<StudioRoles, "roles" | "edges">> {
    const rows = await findRows(store, schemas.require("_Role"), { order: "name", limit: 10_000 });
    const known = new Set(rows.map(({ objectId }) => String(objectId)));
    // Members of the roles in `roles` are members of the role, too.
    const edges = (await relationMembers("_Role", "roles")).map(([parent, child]) => ({ parent, child }));
    return {
      roles: rows.map(({ objectId, name, gate }) => ({
        id: String(objectId),
        name: String(name),
        ...(isJsonObject(gate) && { gate }),
      })),
      // Edges may refer to deleted roles, too.
      edges: edges.filter(({ parent, child }) => known.has(parent) && known.has(child)),
    };
  }

  async function relationMembers(className: string, key: string): Promise<[string, string][]> {
    const found: [string, string][] = [];
    let after: [string, string, string, string] = [className, key, "", ""];
    for (;;) {
      const rows = await store.scanRelations(after, PAGE_SIZE);
      const own = rows.filter((row) => row[0] === className && row[1] === key);
      for (const [, , owner, related] of own) found.push([owner, related]);
      after = rows.at(-1) ?? after;
      if (own.length < PAGE_SIZE) return found;
    }
  }
}

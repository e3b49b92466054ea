import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioMembership,
  type StudioPermissionCheck,
  type StudioRoles,
} from "@purse/protocol";
import type { GateStanding } from "../../auth/index.ts";
import type { AuthContext, RequestContext } from "../../authContext.ts";
import type { Config } from "../../config.ts";
import { type CheckedOperation, checkPermission, rowOf } from "../checkPermission.ts";
import { membershipsOf } from "../memberships.ts";
import { invalid, optionalTextIn, textIn } from "../parameters.ts";
import { ringsOf } from "../rings.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { type SecurityParts, securityFindings } from "../securityCheck.ts";
import type { PipelineParts } from "./pipeline.ts";

const OPERATIONS: readonly CheckedOperation[] = ["get", "find", "count", "create", "update", "delete"];
const PAGE = 1_000;

export interface PermissionParts extends PipelineParts {
  protectedFields: Config["protectedFields"];
  security: SecurityParts;
  gateStandingsOf(userId: string): Promise<GateStanding[]>;
}

/** Who may do what, and why; roles and how they hang together; what is open that should not be. */
export function permissionRoutes(parts: PermissionParts): StudioRoute[] {
  const { store, schemas, rules, objects } = parts;
  return [
    { method: "GET", path: "/permissions/check", needs: "readOnly", handle: check },
    { method: "GET", path: "/roles", needs: "readOnly", handle: async () => json(await roles()) },
    { method: "GET", path: "/security", needs: "readOnly", handle: security },
  ];

  async function check({ params, context }: StudioRequest) {
    const className = textIn(params, "className");
    const operation = OPERATIONS.find((each) => each === params.operation);
    if (!operation) throw invalid(`operation must be one of ${OPERATIONS.join(", ")}`);
    const schema = schemas.get(className);
    if (!schema)
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist.`, 404);
    const user = optionalTextIn(params, "user");
    const auth = user === undefined ? ({ kind: "anonymous" } as const) : await parts.asUser(user);
    if (auth.kind === "master") throw invalid("user must be the id of a user");
    const objectId = optionalTextIn(params, "objectId");
    const row = objectId === undefined ? undefined : rowOf(await store.get(schema, objectId, null));
    if (objectId !== undefined && !row)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    const request = { ...context, auth };
    const isRead = operation === "get" || operation === "find" || operation === "count";
    const isShown =
      row && isRead ? await isShownTo(request, className, operation, String(row.objectId)) : undefined;
    const answer = await checkPermission({
      schema,
      operation,
      auth,
      row,
      rules: rules.get(className),
      protectedFields: parts.protectedFields?.[className],
      isShown,
      request,
    });
    const told: StudioPermissionCheck = { ...answer, ...(await standingOf(auth)) };
    return json(told);
  }

  /** Which roles somebody is in, how they came to be, and what the gates say of them. */
  async function standingOf(
    auth: AuthContext,
  ): Promise<Pick<StudioPermissionCheck, "memberships" | "gates">> {
    if (auth.kind !== "user") return { memberships: [], gates: [] };
    const { userId } = auth;
    const [given, standings, { roles, edges }] = await Promise.all([
      store.ownersInRelation("_Role", "users", [userId]),
      parts.gateStandingsOf(userId),
      roleGraph(),
    ]);
    const names = new Map(roles.map(({ id, name }) => [id, name]));
    const gated = standings.flatMap(({ roleId, isMember }) => (isMember ? [roleId] : []));
    return {
      memberships: membershipsOf({ given, gated, edges }).flatMap((each): StudioMembership[] => {
        const role = names.get(each.id);
        // A relation outlives the role that it was to.
        if (role === undefined) return [];
        return each.by === "role"
          ? [{ role, by: each.by, from: names.get(each.from) ?? each.from }]
          : [{ role, by: each.by }];
      }),
      gates: standings.flatMap(({ roleId, isMember, balance: held, min }) => {
        const role = names.get(roleId);
        if (role === undefined) return [];
        return [{ role, isMember, min: String(min), ...(held !== undefined && { held: String(held) }) }];
      }),
    };
  }

  /** Asks the pipeline itself, by the very operation. */
  async function isShownTo(
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
      const asked: JsonObject =
        operation === "find" ? { limit: 1, keys: "objectId" } : { limit: 0, count: 1 };
      const text = await objects.find(request, className, { where: { objectId }, ...asked });
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
    return { roles, edges, cycles: ringsOf(edges).map((ring) => ring.map((id) => names.get(id) ?? id)) };
  }

  async function roleGraph(): Promise<Pick<StudioRoles, "roles" | "edges">> {
    const texts = await store.find({
      schema: schemas.require("_Role"),
      where: { kind: "and", conditions: [] },
      order: [{ path: ["name"], descending: false }],
      limit: 10_000,
      skip: 0,
      principals: null,
    });
    const rows = texts.map((text): JsonObject => JSON.parse(text));
    const known = new Set(rows.map(({ objectId }) => String(objectId)));
    // A role's `roles` are those whose members are its members too.
    const edges = (await membersOf("_Role", "roles")).map(([parent, child]) => ({ parent, child }));
    return {
      roles: rows.map(({ objectId, name, gate }) => ({
        id: String(objectId),
        name: String(name),
        ...(isJsonObject(gate) && { gate }),
      })),
      // As above.
      edges: edges.filter(({ parent, child }) => known.has(parent) && known.has(child)),
    };
  }

  async function membersOf(className: string, key: string): Promise<[string, string][]> {
    const found: [string, string][] = [];
    let after: [string, string, string, string] = [className, key, "", ""];
    for (;;) {
      const rows = await store.scanRelations(after, PAGE);
      const own = rows.filter((row) => row[0] === className && row[1] === key);
      for (const [, , owner, related] of own) found.push([owner, related]);
      after = rows.at(-1) ?? after;
      if (own.length < PAGE) return found;
    }
  }

  async function security() {
    return json({ results: await securityFindings(parts.security, schemas.all()) });
  }
}

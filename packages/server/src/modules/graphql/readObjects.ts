import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import { execute, type GraphqlContext } from "./context.ts";
import { type Connection, connectionOf, type PageArguments, pageOf } from "./pagination.ts";
import { type FieldsOf, readKeys, type Selection, selects } from "./selection.ts";
import { toWhere } from "./whereTransform.ts";

export interface FindArguments extends PageArguments {
  where?: JsonObject | null;
  order?: readonly string[] | null;
}

/** Returns an object with the selected fields. Throws 101. */
export async function getObject(
  { operations, requestContext: request }: GraphqlContext,
  className: string,
  objectId: string,
  selection: Selection,
  fieldsOf: FieldsOf,
): Promise<JsonObject> {
  if (objectId === "") throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
  if (isTurnUsedUp()) await ownTurn();
  const params = { ...readKeys(selection, className, fieldsOf) };
  const path = `/classes/${className}/${encodeURIComponent(objectId)}`;
  const object = await operations.execute(request, "GET", path, params);
  if (!isJsonObject(object)) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
  if (className !== "_User") return object;
  const { sessionToken: _, ...user } = object;
  return user;
}

/** Returns a page of the objects of a class. `relatedTo` restricts it to the members of a relation. */
export async function findObjects(
  context: GraphqlContext,
  className: string,
  { where, order, ...page }: FindArguments,
  selection: Selection,
  fieldsOf: FieldsOf,
  relatedTo?: JsonObject,
): Promise<Connection> {
  // An operation has hundreds of these at most.
  if (isTurnUsedUp()) await ownTurn();
  const conditions = {
    ...(where && toWhere(where, className, fieldsOf)),
    ...(relatedTo && { $relatedTo: relatedTo }),
  };
  const find = async (params: JsonObject) => {
    const query = { where: conditions, ...params };
    const { results, count } = await execute(context, "GET", `/classes/${className}`, query);
    return {
      results: Array.isArray(results) ? results.filter(isJsonObject) : [],
      count: typeof count === "number" ? count : undefined,
    };
  };
  const { maxLimit } = context.operations;
  const { limit, isAtEnd, ...start } = pageOf(page, maxLimit);
  let { skip } = start;
  let count: number | undefined;
  if (isAtEnd) {
    count = (await find({ limit: 0, count: 1 })).count ?? 0;
    if (skip + (limit ?? 0) < count) skip = count - (limit ?? 0);
  }
  const wantsResults = (selects(selection, "edges") || selects(selection, "pageInfo")) && limit !== 0;
  const wantsCount =
    count === undefined &&
    (selects(selection, "count") ||
      selects(selection, "pageInfo", "hasPreviousPage") ||
      selects(selection, "pageInfo", "hasNextPage"));
  if (!wantsResults && !wantsCount) return connectionOf([], skip, count);
  const found = await find({
    ...(wantsCount && { count: 1 }),
    ...(!wantsResults && { limit: 0 }),
    ...(wantsResults && {
      ...(limit !== undefined && { limit: Math.min(limit, maxLimit ?? limit) }),
      ...(skip > 0 && { skip }),
      ...(order && order.length > 0 && { order: order.join() }),
      ...readKeys(selection.edges?.node ?? {}, className, fieldsOf),
    }),
  });
  return connectionOf(found.results, skip, found.count ?? count);
}

import { type Condition, type JsonObject, parseQuery, type Query, type QueryLimits } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { relationFields } from "../schema/relationFields.ts";
import { createFieldSelector } from "./fieldSelector.ts";
import { idsCondition } from "./include.ts";
import { mapInSlices } from "./jsonList.ts";
import type { ObjectReader } from "./objectReader.ts";
import { whenParsed } from "./parseObject.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Serializer } from "./serializer.ts";
import type { Triggers } from "./triggers.ts";

export interface IncludedReadDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  serializer: Serializer;
  triggers: Triggers;
  limits: QueryLimits;
}

type SelectedFields = Pick<Query, "keys" | "excludeKeys" | "includeScore">;

/** Reads objects that stored pointers refer to, by id. Objects that the client may not read are omitted. */
export type ReadIncluded = (
  className: string,
  ids: string[],
  request: RequestContext,
) => Promise<Map<string, JsonObject>>;

/**
 * Creates the function that reads included objects. They are authorized and passed through triggers like those of a
 * direct read.
 */
export function createIncludedReads(dependencies: IncludedReadDependencies): ReadIncluded {
  const { access, reader, serializer, triggers, limits } = dependencies;

  return async (className, ids, request) => {
    const found = new Map<string, JsonObject>();
    const scope = access.authorizePointerTarget(request, className);
    if (!scope) return found;
    const { where, params, fields } = await includedQuery(className, ids, request);
    const texts = await reader.find(scope, { where, limit: ids.length });
    const serialize = serializer.forClass(className);
    const relations = Object.fromEntries(relationFields(scope.schema));
    let objects = await mapInSlices(texts, (text) =>
      whenParsed(serializer.parseWithFileUrls(text, request), (stored) => {
        const object = { ...stored, ...relations };
        return serialize ? serialize(object, request) : object;
      }),
    );
    await serializer.addFields(className, objects, request);
    const afterFind = triggers.afterFind(className);
    if (afterFind && objects.length > 0) {
      objects = await afterFind(objects, params, request, ids.length === 1);
    }
    const selectFields = fields ? createFieldSelector(fields) : (object: JsonObject) => object;
    for (const object of objects) found.set(String(object.objectId), selectFields(object));
    return found;
  };

  /** Returns the query of included objects, whose condition and fields beforeFind triggers of their class can narrow. */
  async function includedQuery(
    className: string,
    ids: string[],
    request: RequestContext,
  ): Promise<{ where: Condition; params: JsonObject; fields?: SelectedFields }> {
    const [firstId = ""] = ids;
    const idParams = { where: { objectId: ids.length === 1 ? firstId : { $in: ids } } };
    const beforeFind = triggers.beforeFind(className);
    if (!beforeFind) return { where: idsCondition(ids), params: idParams };
    const { params, objects } = await beforeFind(idParams, request, ids.length === 1);
    // Objects that a trigger returns are read again with the permissions of the client.
    const returnedIds = objects?.flatMap(({ objectId }) => (typeof objectId === "string" ? [objectId] : []));
    const query = parseQuery(className, params, limits);
    return { where: returnedIds ? idsCondition(returnedIds) : query.where, params, fields: query };
  }
}

import { type Condition, type JsonObject, parseQuery, type QueryLimits } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import { relationFields } from "../schema/schemas.ts";
import { idsCondition } from "./include.ts";
import { mapInSlices } from "./jsonList.ts";
import type { ObjectReader } from "./objectReader.ts";
import type { Presentation } from "./presentation.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Triggers } from "./triggers.ts";

export interface IncludedReadDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  presentation: Presentation;
  triggers: Triggers;
  limits: QueryLimits;
}

/** Reads the objects of a class that stored pointers lead to, by id. Objects that the caller may not read are absent. */
export type ReadIncluded = (
  className: string,
  ids: string[],
  request: RequestContext,
) => Promise<Map<string, JsonObject>>;

/** Creates the reads of included objects: authorized and passed through triggers like those of a direct read. */
export function createIncludedReads(dependencies: IncludedReadDependencies): ReadIncluded {
  const { access, reader, presentation, triggers, limits } = dependencies;

  return async (className, ids, request) => {
    const found = new Map<string, JsonObject>();
    const scope = access.authorizeFollowed(request, className);
    if (!scope) return found;
    const { where, params } = await includedWhere(className, ids, request);
    const texts = await reader.find(scope, { where, limit: ids.length });
    const present = presentation.of(className);
    const relations = Object.fromEntries(relationFields(scope.schema));
    let objects = await mapInSlices(texts, (text) => {
      const stored: JsonObject = { ...presentation.parse(text, request), ...relations };
      return present ? present(stored, request) : stored;
    });
    const afterFind = triggers.afterFind(className);
    if (afterFind && objects.length > 0) {
      objects = await afterFind(objects, params, request, ids.length === 1);
    }
    for (const object of objects) found.set(String(object.objectId), object);
    return found;
  };

  /** The condition on included objects, which beforeFind triggers of their class narrow like that of a find. */
  async function includedWhere(
    className: string,
    ids: string[],
    request: RequestContext,
  ): Promise<{ where: Condition; params: JsonObject }> {
    const [only = ""] = ids;
    const byIds = { where: { objectId: ids.length === 1 ? only : { $in: ids } } };
    const beforeFind = triggers.beforeFind(className);
    if (!beforeFind) return { where: idsCondition(ids), params: byIds };
    const { params, objects } = await beforeFind(byIds, request, ids.length === 1);
    // Objects that a trigger returns are read again with the rights of the caller.
    const given = objects?.flatMap(({ objectId }) => (typeof objectId === "string" ? [objectId] : []));
    return { where: given ? idsCondition(given) : parseQuery(className, params, limits).where, params };
  }
}

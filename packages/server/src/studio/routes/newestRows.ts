import type { JsonObject } from "@purse/protocol";
import type { StudioPage } from "../../studioApi/data.ts";
import { createKeyset } from "../keysetPages.ts";
import type { StudioRequest } from "../route.ts";
import type { RouteDependencies } from "./routeContext.ts";

/** Returns a page of rows of a built-in class, newest first. */
export async function listNewest(
  dependencies: Pick<RouteDependencies, "objects">,
  { context, params: { limit, after } }: StudioRequest<{ limit: number; after?: string | undefined }>,
  className: string,
  where: JsonObject,
): Promise<StudioPage<JsonObject>> {
  const keyset = createKeyset("-createdAt,-objectId", after, (field) =>
    field === "createdAt" ? "Date" : "String",
  );
  const text = await dependencies.objects.find(context, className, {
    where: keyset.where ? { $and: [where, keyset.where] } : where,
    order: keyset.order,
    limit: limit + 1,
  });
  const { results: rows }: { results: JsonObject[] } = JSON.parse(text);
  const results = rows.slice(0, limit);
  const last = rows.length > limit ? results.at(-1) : undefined;
  return { results, ...(last && { next: keyset.cursorAfter(last, results.length) }) };
}

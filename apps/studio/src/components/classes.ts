import type { StudioClass } from "@purse/server/studio-api";
import { useStudioQuery } from "./useStudioQuery.ts";

/** All classes, system classes last. */
export function useClasses() {
  const query = useStudioQuery("/schema", {});
  const classes = query.data?.results.toSorted(
    (a, b) => Number(isSystemClass(a)) - Number(isSystemClass(b)) || a.className.localeCompare(b.className),
  );
  return { ...query, data: classes };
}

export function isSystemClass({ className }: Pick<StudioClass, "className">): boolean {
  return className.startsWith("_");
}

import { useMemo } from "react";
import { NAV_ITEMS, type StudioNavItem } from "../navigation.ts";
import { useHasRole } from "../StudioContext.tsx";

/** The navigation items that the operator's role allows. */
export function useNavItems(): readonly StudioNavItem[] {
  const isOwner = useHasRole("owner");
  const isEditor = useHasRole("editor");
  return useMemo(
    () =>
      NAV_ITEMS.filter(({ requiredRole }) =>
        requiredRole === "owner" ? isOwner : requiredRole === "editor" ? isEditor : true,
      ),
    [isOwner, isEditor],
  );
}

import { NAV_ITEMS, type NavItem } from "../navigation.ts";
import { useHasRole } from "../StudioContext.tsx";

/** The navigation items that the operator's role allows. */
export function useNavItems(): readonly NavItem[] {
  const isOwner = useHasRole("owner");
  const isEditor = useHasRole("editor");
  return NAV_ITEMS.filter(({ requiredRole }) =>
    requiredRole === "owner" ? isOwner : requiredRole === "editor" ? isEditor : true,
  );
}

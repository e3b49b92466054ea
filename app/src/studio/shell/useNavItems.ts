import { NAV_ITEMS, type NavItem } from "../navigation.ts";
import { useHasRole } from "../StudioContext.tsx";

/** The rooms that the operator may enter. */
export function useNavItems(): readonly NavItem[] {
  const isOwner = useHasRole("owner");
  const isEditor = useHasRole("editor");
  return NAV_ITEMS.filter(({ requiredRole }) =>
    requiredRole === "owner" ? isOwner : requiredRole === "editor" ? isEditor : true,
  );
}

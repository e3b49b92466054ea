import { useRouter } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

/**
 * A string search param: `[value, set]`; an empty value removes it. `set` replaces the history entry, so that going back
 * leaves the page rather than undoing keystrokes.
 */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const router = useRouter();
  const { history } = router;
  const value = useSyncExternalStore(history.subscribe, () => {
    const search: Record<string, unknown> = router.options.parseSearch(history.location.search);
    const param = search[name];
    return typeof param === "string" || typeof param === "number" ? String(param) : "";
  });
  function set(to: string): void {
    void router.navigate({
      to: ".",
      search: (all: Record<string, unknown>) => ({ ...all, [name]: to === "" ? undefined : to }),
      replace: true,
      resetScroll: false,
    });
  }
  return [value, set];
}

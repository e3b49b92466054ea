import { useRouter } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

/**
 * A text of the page's address: `[value, set]`; an empty one is left out of it. It is set at once, as fast as people
 * type, and takes the place of the entry in the history: going back leaves the room rather than undoing letters.
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

import { useEffect } from "react";

/** Looks again when somebody comes back to the page. */
export function useFresh(refresh: () => void): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [refresh]);
}

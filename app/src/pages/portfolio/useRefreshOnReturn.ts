import { useEffect } from "react";

/** Looks again when somebody comes back to the page. */
export function useRefreshOnReturn(refresh: () => void): void {
  useEffect(() => {
    const handleChange = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", handleChange);
    return () => document.removeEventListener("visibilitychange", handleChange);
  }, [refresh]);
}

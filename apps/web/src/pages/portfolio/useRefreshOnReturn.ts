import { useEffect } from "react";

/** Calls `refresh` when the page becomes visible again. */
export function useRefreshOnReturn(refresh: () => void): void {
  useEffect(() => {
    const handleChange = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", handleChange);
    return () => document.removeEventListener("visibilitychange", handleChange);
  }, [refresh]);
}

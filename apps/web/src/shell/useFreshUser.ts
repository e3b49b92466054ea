import { useMoralis } from "@purse/react";
import { reachability } from "@purse/ui";
import { useEffect } from "react";

/** How long what was read of the user counts as current, in ms. */
const CURRENT_MS = 30_000;

/**
 * Reads the signed-in user again after the start, when the window is shown again and when the server is reachable again: the
 * browser remembers the user of its last visit, who may have changed on another device.
 */
export function useFreshUser(): void {
  const { user, isInitialized } = useMoralis();
  const isReady = isInitialized && user?.id !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the user object stays the same while its fields change.
  useEffect(() => {
    if (!isReady) return undefined;
    let readAt = Number.NEGATIVE_INFINITY;
    const read = () => {
      if (document.visibilityState !== "visible" || performance.now() - readAt < CURRENT_MS) return;
      readAt = performance.now();
      user.fetch().catch(() => {
        // What the browser remembers stays. The client reports a session that has ended, and pages an unreachable server.
        readAt = Number.NEGATIVE_INFINITY;
      });
    };
    read();
    const stop = reachability.subscribe(() => reachability.get() && read());
    document.addEventListener("visibilitychange", read);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", read);
    };
  }, [isReady, user?.id]);
}

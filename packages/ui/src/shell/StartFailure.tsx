import { useEffect } from "react";
import { ErrorState } from "../components/ErrorState.tsx";
import { reachability } from "../query/reachability.ts";

/** Replaces the app if it cannot start. It reloads on demand, or once the server is reachable. */
export function StartFailure({ error }: { error: unknown }) {
  useEffect(() => {
    const stop = reachability.subscribe(() => {
      if (reachability.get()) window.location.reload();
    });
    reachability.reportFailure();
    return () => void stop();
  }, []);
  return (
    <main>
      <ErrorState error={error} retry={() => window.location.reload()} />
    </main>
  );
}

import { useEffect } from "react";
import { ErrorState } from "./design/states.tsx";
import { reachability } from "./query/reachability.ts";

/** In the place of all pages, why they could not start. They are loaded anew by hand, or once the server answers. */
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

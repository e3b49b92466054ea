import { useEffect } from "react";
import { ErrorState } from "../components/ErrorState.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { reachability } from "../query/reachability.ts";
import { isChunkError } from "./chunkErrors.ts";
import { reloadOnce } from "./reloadOnce.ts";

/**
 * What a page shows in place of its content after an error; the shell around it stays. A page whose code failed to load is
 * reloaded once the server is reachable.
 */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return isChunkError(error) ? <MissingPage error={error} /> : <ErrorState error={error} retry={reset} />;
}

function MissingPage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  useEffect(() => {
    const stop = reachability.subscribe(() => {
      if (reachability.get()) reloadOnce();
    });
    reachability.reportFailure();
    return () => void stop();
  }, []);
  return (
    <>
      <h1 className="visually-hidden">{t("This page could not be loaded")}</h1>
      <ErrorState error={error} retry={() => window.location.reload()} />
      <p className="soft">{t("The page loads by itself when the server can be reached.")}</p>
    </>
  );
}

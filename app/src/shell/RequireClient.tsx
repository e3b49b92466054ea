import { useMoralis } from "@purse/react";
import type { ReactNode } from "react";
import { ErrorState, SkeletonList } from "../design/states.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/**
 * Shows the page once the client has started and the wallet of before a reload is back: whatever a page reads when it is
 * mounted can be read then, however the settings, the texts and the page's own code have arrived.
 */
export function RequireClient({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { isInitialized, initializeError, initialize } = useMoralis();
  if (isInitialized) return children;
  if (initializeError) return <ErrorState error={initializeError} retry={() => initialize()} />;
  return <SkeletonList label={t("Loading")} />;
}

import { useMoralis } from "@purse/react";
import { ErrorState, SkeletonList, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";

/**
 * Renders its children once the client has started and the wallet session is restored, so that pages can send requests
 * when they mount.
 */
export function RequireClient({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { isInitialized, initializeError, initialize } = useMoralis();
  if (isInitialized) return children;
  if (initializeError) return <ErrorState error={initializeError} retry={() => initialize()} />;
  return <SkeletonList label={t("Loading")} />;
}

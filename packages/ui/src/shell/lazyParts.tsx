import { type ReactNode, Suspense, useEffect } from "react";
import { ErrorBoundary } from "../components/ErrorBoundary.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { useToast } from "../components/Toasts.tsx";
import { explain } from "../errors/explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { isChunkError } from "./chunkErrors.ts";

interface LazyPartProps {
  children: ReactNode;
  /** Rendered while they load: for sections an empty, busy element unless given. */
  fallback?: ReactNode;
}

/** Loads its children on demand. If they fail to load, the rest of the page stays, and an error takes their place. */
export function LazySection({ children, fallback = <div aria-busy="true" /> }: LazyPartProps) {
  const reload = () => window.location.reload();
  return (
    <ErrorBoundary
      fallback={(error, reset) => <ErrorState error={error} retry={isChunkError(error) ? reload : reset} />}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Loads its children on demand. If they fail to load, the page works without them. */
export function LazyExtra({ children, fallback }: LazyPartProps) {
  return (
    <ErrorBoundary fallback={() => fallback}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Loads an open dialog on demand. If it fails to load, a message says so, and it is closed. */
export function LazyDialog({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  return (
    <ErrorBoundary fallback={(error) => <FailedDialog error={error} onClose={onClose} />}>
      <Suspense>{children}</Suspense>
    </ErrorBoundary>
  );
}

function FailedDialog({ error, onClose }: { error: unknown; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure.
  useEffect(() => {
    const { title, detail } = explain(error, t);
    toast(`${title}. ${detail}`);
    onClose();
  }, [error]);
  return null;
}

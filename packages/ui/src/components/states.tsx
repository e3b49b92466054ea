import type { ReactNode } from "react";
import { explain } from "../errors/explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";
import { CopyButton } from "./CopyButton.tsx";

/** A placeholder for a loading line. */
export function Skeleton({ width = "100%", height = "1.2em" }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />;
}

export function SkeletonList({ rows = 4, label }: { rows?: number; label: string }) {
  return (
    <div role="status" className="stack" aria-label={label}>
      {Array.from({ length: rows }, (_, i) => `${100 - i * 6}%`).map((width) => (
        <Skeleton key={width} height="2.4rem" width={width} />
      ))}
    </div>
  );
}

/** An empty state with its primary action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p className="soft">{children}</p>}
      {action}
    </div>
  );
}

/** An error message with a retry button. */
export function ErrorState({
  error,
  retry,
  busy = false,
}: {
  error: unknown;
  retry?: () => void;
  /** Whether a retry is in progress. */
  busy?: boolean;
}) {
  const { t } = useTranslation();
  const { title, detail, code } = explain(error, t);
  return (
    <div className="notice danger" role="alert">
      <div className="grow">
        <p>
          <strong>{title}</strong>
        </p>
        <p>{detail}</p>
        {code !== undefined && <p className="small soft">{t("Error code {code}", { code: String(code) })}</p>}
      </div>
      <div className="row">
        <CopyButton text={detailsOf(title, detail, code)} label={t("error details")} />
        {retry && (
          <Button small busy={busy} onClick={retry}>
            {t("Try again")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Error details to send to support. */
function detailsOf(title: string, detail: string, code: number | undefined): string {
  const lines = [title, detail, code === undefined ? "" : `Code ${code}`, window.location.href];
  return [...lines, new Date().toISOString()].filter(Boolean).join("\n");
}

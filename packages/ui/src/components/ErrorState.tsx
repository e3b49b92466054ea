import { explain } from "../errors/explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";
import { CopyButton } from "./CopyButton.tsx";

export interface ErrorStateProps {
  error: unknown;
  retry?: () => void;
  /** Whether a retry is in progress. */
  busy?: boolean;
}

/** An error message with a retry button. What support needs, such as the code, is folded away. */
export function ErrorState({ error, retry, busy = false }: ErrorStateProps) {
  const { t } = useTranslation();
  const { title, detail, code, isComplete = false } = explain(error, t);
  return (
    <div className="notice danger" role="alert">
      <div className="grow">
        <p>
          <strong>{title}</strong>
        </p>
        <p>{detail}</p>
        {!isComplete && (
          <details className="small soft">
            <summary>{t("Details")}</summary>
            <p className="row tight-row">
              {code === undefined ? t("No error code") : t("Error code {code}", { code: String(code) })}
              <CopyButton text={detailsOf(title, detail, code)} label={t("error details")} />
            </p>
          </details>
        )}
      </div>
      {retry && (
        <Button small busy={busy} onClick={retry}>
          {t("Try again")}
        </Button>
      )}
    </div>
  );
}

/** Error details to send to support. */
function detailsOf(title: string, detail: string, code: number | undefined): string {
  const lines = [title, detail, code === undefined ? "" : `Code ${code}`, window.location.href];
  return [...lines, new Date().toISOString()].filter(Boolean).join("\n");
}

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

/** An error message with a retry button. */
export function ErrorState({ error, retry, busy = false }: ErrorStateProps) {
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

import { Notice, useTranslation } from "@purse/ui";
import { connectionProblem } from "./connectionProblem.ts";

export interface ConnectionNoticeProps {
  kind: "warning" | "danger";
  title: string;
  /** The error as the server has it. */
  error: string;
}

/** Why a request to another server failed, with the error behind a disclosure. */
export function ConnectionNotice({ kind, title, error }: ConnectionNoticeProps) {
  const { t } = useTranslation();
  const meaning = connectionProblem(error);
  return (
    <Notice kind={kind} title={title}>
      {meaning === undefined ? (
        <bdi>{error}</bdi>
      ) : (
        <>
          <p>{t(meaning)}</p>
          <details>
            <summary className="small">{t("Details")}</summary>
            <code>{error}</code>
          </details>
        </>
      )}
    </Notice>
  );
}

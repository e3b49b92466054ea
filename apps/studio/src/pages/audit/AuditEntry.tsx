import type { StudioAuditEntry } from "@purse/server/studio-api";
import { Code, Detail, DetailList, Dialog, RelativeTime, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { prettyJsonText } from "../../components/fields.ts";

export interface AuditEntryProps {
  entry: StudioAuditEntry;
  /** What it says, as a sentence. */
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** An audit entry with the values before and after. `children` shows the result. */
export function AuditEntry({ entry, title, onClose, children }: AuditEntryProps) {
  const { t } = useTranslation();
  const { before, after, error } = entry;
  return (
    <Dialog open side onClose={onClose} title={title}>
      <div className="stack">
        <DetailList>
          <Detail label={t("Who")}>
            <bdi>{entry.username}</bdi>
          </Detail>
          <Detail label={t("When")}>
            <RelativeTime at={entry.at} />
          </Detail>
          <Detail label={t("Result")}>{children}</Detail>
          {error !== undefined && (
            <Detail label={t("Reason")}>
              <bdi>{error}</bdi>
            </Detail>
          )}
        </DetailList>
        {before !== undefined && <Code label={t("Before")} text={prettyJsonText(before)} wrap />}
        {after !== undefined && <Code label={t("After")} text={prettyJsonText(after)} wrap />}
        {before === undefined && after === undefined && (
          <p className="soft">{t("No values are stored for this action.")}</p>
        )}
        <details>
          <summary>{t("Details")}</summary>
          <DetailList>
            <Detail label={t("Action")}>
              <code>{entry.action}</code>
            </Detail>
            {entry.target !== "" && (
              <Detail label={t("Target")}>
                <bdi>{entry.target}</bdi>
              </Detail>
            )}
            {entry.address !== "" && <Detail label={t("From")}>{entry.address}</Detail>}
            {entry.requestId !== "" && (
              <Detail label={t("Trace ID")}>
                <code>{entry.requestId}</code>
              </Detail>
            )}
          </DetailList>
        </details>
      </div>
    </Dialog>
  );
}

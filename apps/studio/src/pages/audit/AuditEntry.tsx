import type { StudioAuditEntry } from "@purse/server/studio-api";
import { Code, Dialog, RelativeTime, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { prettyJsonText } from "../../components/fields.ts";

export interface AuditEntryProps {
  entry: StudioAuditEntry;
  onClose: () => void;
  children: ReactNode;
}

/** An audit entry with the values before and after. `children` shows the result. */
export function AuditEntry({ entry, onClose, children }: AuditEntryProps) {
  const { t } = useTranslation();
  const { before, after, error } = entry;
  return (
    <Dialog open side onClose={onClose} title={entry.action}>
      <div className="stack">
        <dl className="facts">
          <dt>{t("Who")}</dt>
          <dd>
            <bdi>{entry.username}</bdi>
          </dd>
          <dt>{t("When")}</dt>
          <dd>
            <RelativeTime at={entry.at} />
          </dd>
          <dt>{t("Target")}</dt>
          <dd>
            <bdi>{entry.target}</bdi>
          </dd>
          <dt>{t("Result")}</dt>
          <dd>{children}</dd>
          {error !== undefined && (
            <>
              <dt>{t("Reason")}</dt>
              <dd>
                <bdi>{error}</bdi>
              </dd>
            </>
          )}
          <dt>{t("From")}</dt>
          <dd>{entry.address}</dd>
          <dt>{t("Trace ID")}</dt>
          <dd>
            <code>{entry.requestId}</code>
          </dd>
        </dl>
        {before !== undefined && <Code label={t("Before")} text={prettyJsonText(before)} wrap />}
        {after !== undefined && <Code label={t("After")} text={prettyJsonText(after)} wrap />}
        {before === undefined && after === undefined && (
          <p className="soft">{t("No values are stored for this action.")}</p>
        )}
      </div>
    </Dialog>
  );
}

import type { StudioAuditEntry } from "@purse/protocol";
import type { ReactNode } from "react";
import { Code } from "../../../design/Code.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { pretty } from "../parts/fields.ts";

/** One change: what was before it, what after. `children` is how it ended. */
export function AuditEntry({
  entry,
  onClose,
  children,
}: {
  entry: StudioAuditEntry;
  onClose: () => void;
  children: ReactNode;
}) {
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
          <dt>{t("Of what")}</dt>
          <dd>
            <bdi>{entry.target}</bdi>
          </dd>
          <dt>{t("Outcome")}</dt>
          <dd>{children}</dd>
          {error !== undefined && (
            <>
              <dt>{t("Why")}</dt>
              <dd>
                <bdi>{error}</bdi>
              </dd>
            </>
          )}
          <dt>{t("From")}</dt>
          <dd>{entry.address}</dd>
          <dt>{t("Trace id")}</dt>
          <dd>
            <code>{entry.requestId}</code>
          </dd>
        </dl>
        {before !== undefined && <Code label={t("Before")} text={shown(before)} wrap />}
        {after !== undefined && <Code label={t("After")} text={shown(after)} wrap />}
        {before === undefined && after === undefined && (
          <p className="soft">{t("Of this action no values are kept.")}</p>
        )}
      </div>
    </Dialog>
  );
}

/** JSON for people; a text that was cut is none any more, and stays as it is. */
function shown(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import { Button, displayText, RelativeTime, useTranslation } from "@purse/ui";
import type { Draft } from "./drafts.ts";
import type { DraftStep } from "./useDrafts.ts";

export interface StepListProps {
  row: JsonObject;
  draft: Draft | undefined;
  /** Oldest first. */
  steps: readonly DraftStep[];
  onRevert: (field: string) => void;
}

/** Unsaved changes of a row and the edits that led to them. */
export function StepList({ row, draft, steps, onRevert }: StepListProps) {
  const { t } = useTranslation();
  const changes = Object.entries(draft?.changes ?? {});
  return (
    <div className="stack">
      <section aria-label={t("Unsaved")} className="stack tight">
        <h3>{t("Unsaved")}</h3>
        {changes.length === 0 && <p className="soft">{t("No unsaved changes")}</p>}
        <ul className="steps">
          {changes.map(([field, value]) => (
            <li key={field}>
              <span className="grow">
                <strong>
                  <bdi>{field}</bdi>
                </strong>
                <Change from={ownValue(row, field)} to={value} />
              </span>
              <Button small onClick={() => onRevert(field)}>
                {t("Revert")}
              </Button>
            </li>
          ))}
        </ul>
      </section>
      {steps.length > 0 && (
        <section aria-label={t("Your edits")} className="stack tight">
          <h3>{t("Your edits")}</h3>
          <ol className="steps">
            {steps.toReversed().map((step) => (
              <li key={`${step.at}${step.field}`}>
                <span className="grow">
                  <bdi>{step.field}</bdi> <Change from={step.from} to={step.to} />
                </span>
                <span className="soft small">
                  <RelativeTime at={step.at} />
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function Change({ from, to }: { from: JsonValue | undefined; to: JsonValue }) {
  const { t } = useTranslation();
  return (
    <span className="step-change">
      <del>{displayText(from) || "—"}</del> <span className="visually-hidden">{t("becomes")}</span>
      <span aria-hidden="true">→</span> <ins>{displayText(to) || "—"}</ins>
    </span>
  );
}

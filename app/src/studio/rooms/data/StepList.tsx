import type { JsonObject, JsonValue } from "@purse/protocol";
import { Button } from "../../../design/Button.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Draft } from "./drafts.ts";
import type { DraftStep } from "./useDrafts.ts";
import { shown } from "./value.ts";

/** What is changed in a row and not saved, and how it came to be so. */
export function StepList({
  row,
  draft,
  steps,
  onRevert,
}: {
  row: JsonObject;
  draft: Draft | undefined;
  /** The oldest first. */
  steps: readonly DraftStep[];
  onRevert: (field: string) => void;
}) {
  const { t } = useTranslation();
  const changes = Object.entries(draft?.changes ?? {});
  return (
    <div className="stack">
      <section aria-label={t("Not saved")} className="stack tight">
        <h3>{t("Not saved")}</h3>
        {changes.length === 0 && <p className="soft">{t("Everything is as it was read.")}</p>}
        <ul className="steps">
          {changes.map(([field, value]) => (
            <li key={field}>
              <span className="grow">
                <strong>
                  <bdi>{field}</bdi>
                </strong>
                <Change from={row[field]} to={value} />
              </span>
              <Button small onClick={() => onRevert(field)}>
                {t("Revert")}
              </Button>
            </li>
          ))}
        </ul>
      </section>
      {steps.length > 0 && (
        <section aria-label={t("What you did")} className="stack tight">
          <h3>{t("What you did")}</h3>
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
      <del>{shown(from) || "—"}</del> <span className="visually-hidden">{t("becomes")}</span>
      <span aria-hidden="true">→</span> <ins>{shown(to) || "—"}</ins>
    </span>
  );
}

import {
  Button,
  Form,
  formatDuration,
  optionalText,
  RelativeTime,
  Status,
  useForm,
  useTranslation,
} from "@purse/ui";
import { Play } from "lucide-react";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { UserCombobox } from "../../components/Combobox.tsx";
import { jsonObject } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { Section } from "../../components/Page.tsx";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useTabDraft } from "../../components/useTabDraft.ts";
import { useTabHistory } from "../../components/useTabHistory.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { type FunctionRun, RunResult } from "./RunResult.tsx";

const PARAMETERS = z.object({ params: jsonObject, as: optionalText });

/** Runs a function and shows its result, with the runs of this tab below. */
export function Runner({ name }: { name: string }) {
  const { t, language } = useTranslation();
  const canEdit = useHasRole("editor");
  const [runs, addRun] = useTabHistory<FunctionRun>(`runs:${name}`, {
    maxEntries: 20,
    maxLength: 50_000,
    shorten: (run) => ({ ...run, result: "(too large to store)", logs: [] }),
  });
  const [draft, saveDraft] = useTabDraft(`run ${name}`, {
    params: runs[0]?.params ?? "{}",
    as: runs[0]?.as ?? "",
  });
  const form = useForm(PARAMETERS, draft);
  const { params, as } = form.values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change.
  useEffect(() => saveDraft({ params, as }), [params, as]);
  const [shown, setShown] = useState<FunctionRun | undefined>(undefined);
  const run = useStudioMutation(async (studio, { params, as }: z.infer<typeof PARAMETERS>) => {
    const answer = await studio.post("/functions/:name", { name, params, ...(as !== "" && { as }) });
    const savedRun: FunctionRun = { at: new Date().toISOString(), params: form.values.params, as, ...answer };
    addRun(savedRun);
    setShown(savedRun);
  });
  return (
    <div className="stack">
      <Form
        form={form}
        onSubmit={run.mutate}
        className="card stack"
        label={t("Run {name}", { name })}
        submitLabel={
          <>
            <Play size={16} aria-hidden="true" />
            {t("Run")}
          </>
        }
        variant="primary"
        busy={run.isPending}
        disabled={!canEdit || !form.isValid}
        error={run.error}
      >
        <h2>
          <code>{name}</code>
        </h2>
        <JsonField label={t("Parameters")} {...form.choice("params")} />
        <UserCombobox
          label={t("Run as")}
          placeholder={t("Master key")}
          value={form.values.as}
          onChange={(as) => form.set("as", as)}
        />
      </Form>
      <div aria-live="polite" className="stack">
        {shown && <RunResult key={shown.requestId} run={shown} />}
      </div>
      {runs.length > 0 && (
        <Section title={t("Recent runs")}>
          <ul className="list">
            {runs.map((each) => (
              <li key={each.requestId} className="row spread">
                <span className="row">
                  <Status kind={each.error ? "danger" : "ok"}>{each.error ? t("Failed") : t("Done")}</Status>
                  <code className="cut">{each.params}</code>
                  <span className="number soft">{formatDuration(each.ms, language)}</span>
                  <RelativeTime at={each.at} />
                </span>
                <span className="actions">
                  <Button small onClick={() => setShown(each)}>
                    {t("Show")}
                  </Button>
                  <Button
                    small
                    onClick={() => {
                      form.set("params", each.params);
                      form.set("as", each.as);
                    }}
                  >
                    {t("Reuse parameters")}
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

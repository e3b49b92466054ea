import {
  Button,
  Code,
  Field,
  Form,
  Notice,
  optionalText,
  RelativeTime,
  Status,
  useForm,
  useTranslation,
} from "@purse/ui";
import { Play } from "lucide-react";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { asObject, jsonObject, prettyJson, stringField } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { LogLines } from "../../components/LogLines.tsx";
import { Section } from "../../components/Page.tsx";
import { useLogTail } from "../../components/useLogTail.ts";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole, useOperator, useStudio } from "../../StudioContext.tsx";
import { type FunctionRun, loadRuns, saveRun } from "./runs.ts";

const PARAMETERS = z.object({ params: jsonObject, as: optionalText });

/** Runs a function and shows its result, with the runs of this tab below. */
export function Runner({ name }: { name: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const { id } = useOperator();
  const key = `${id}:${name}`;
  const [runs, setRuns] = useState(() => loadRuns(sessionStorage, key));
  const form = useForm(PARAMETERS, { params: runs[0]?.params ?? "{}", as: runs[0]?.as ?? "" });
  const [shown, setShown] = useState<FunctionRun | undefined>(undefined);
  const run = useStudioMutation(async ({ params, as }: z.infer<typeof PARAMETERS>) => {
    const answer = await studio.post("/functions/:name", {
      name,
      params,
      ...(as !== "" && { as }),
    });
    const savedRun: FunctionRun = { at: new Date().toISOString(), params: form.values.params, as, ...answer };
    setRuns(saveRun(sessionStorage, key, savedRun));
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
        <Field
          label={t("Run as")}
          hint={t("User objectId. Leave empty to run with the master key.")}
          {...form.input("as")}
          isCode
        />
      </Form>
      <div aria-live="polite" className="stack">
        {shown && <Result run={shown} />}
      </div>
      {runs.length > 0 && (
        <Section title={t("Recent runs")}>
          <ul className="list">
            {runs.map((each) => (
              <li key={each.requestId} className="row spread">
                <span className="row">
                  {each.error ? (
                    <Status kind="danger">{t("Failed")}</Status>
                  ) : (
                    <Status kind="ok">{t("Done")}</Status>
                  )}
                  <code className="cut">{each.params}</code>
                  <span className="number soft">{each.ms} ms</span>
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

/** The result of a run; log entries written after the response are streamed. */
function Result({ run }: { run: FunctionRun }) {
  const { t } = useTranslation();
  const { lines: liveLines } = useLogTail({ requestId: run.requestId });
  const [lines, setLines] = useState(run.logs);
  useEffect(() => {
    if (liveLines.length > run.logs.length) setLines([...liveLines]);
  }, [liveLines, run.logs]);
  return (
    <section className="card stack" aria-label={t("Result")}>
      <div className="row spread">
        <h2>{t("Result")}</h2>
        <span className="number">{t("{ms, number} ms", { ms: run.ms })}</span>
      </div>
      {run.error ? (
        <Notice kind="danger" title={t("Failed with code {code}", { code: String(run.error.code) })}>
          <bdi>{run.error.error}</bdi>
        </Notice>
      ) : (
        <>
          <Code label={t("Response")} text={prettyJson(run.result)} wrap />
          <PluginInstructions result={run.result} />
        </>
      )}
      <Code label={t("Trace ID")} text={run.requestId} />
      {lines.length === 0 ? (
        <p className="soft">{t("No log output")}</p>
      ) : (
        <LogLines lines={lines} label={t("Log output")} />
      )}
    </section>
  );
}

/** Client instructions returned by a plugin, which the studio does not run. */
function PluginInstructions({ result }: { result: FunctionRun["result"] }) {
  const { t } = useTranslation();
  // Plugin responses are wrapped as their clients expect.
  const triggers = asObject(asObject(asObject(result)?.data)?.result)?.triggers;
  if (!Array.isArray(triggers) || triggers.length === 0) return null;
  return (
    <Notice kind="info" title={t("The calling app would run these instructions; the studio does not")}>
      <ol className="numbered">
        {triggers.map((trigger, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are in an order, and it never changes.
          <li key={at}>{stringField(asObject(trigger) ?? {}, "name")}</li>
        ))}
      </ol>
    </Notice>
  );
}

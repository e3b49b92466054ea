import type { StudioFunctionRun } from "@purse/protocol";
import { Play } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Field } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Notice, Status } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useOperator, useStudio } from "../../StudioContext.tsx";
import { useChange } from "../parts/asking.ts";
import { asObject, parsedObject, pretty, textOf } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";
import { LogLines } from "../parts/LogLines.tsx";
import { Section } from "../parts/Room.tsx";
import { useTail } from "../parts/useTail.ts";
import { type FunctionRun, keepRun, ownRuns } from "./runs.ts";

/** Runs one function, and shows what it answers; what ran before in this tab is below. */
export function Runner({ name }: { name: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const { id } = useOperator();
  const key = `${id}:${name}`;
  const [runs, setRuns] = useState(() => ownRuns(sessionStorage, key));
  const [params, setParams] = useState(() => runs[0]?.params ?? "{}");
  const [as, setAs] = useState(() => runs[0]?.as ?? "");
  const [shown, setShown] = useState<FunctionRun | undefined>(undefined);
  const given = parsedObject(params);
  const run = useChange(async () => {
    const answer = await studio.post<StudioFunctionRun>(`/functions/${encodeURIComponent(name)}`, {
      params: "value" in given ? given.value : {},
      ...(as.trim() !== "" && { as: as.trim() }),
    });
    const kept: FunctionRun = { at: new Date().toISOString(), params, as: as.trim(), ...answer };
    setRuns(keepRun(sessionStorage, key, kept));
    setShown(kept);
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!given.problem) run.mutate();
  }
  return (
    <div className="stack">
      <form className="card stack" onSubmit={submit} aria-label={t("Run {name}", { name })}>
        <h2>
          <code>{name}</code>
        </h2>
        <JsonField label={t("Parameters")} value={params} onChange={setParams} />
        <Field
          label={t("Run as")}
          hint={t("The objectId of a user. Empty: as you, with all rights.")}
          value={as}
          onChange={(event) => setAs(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="row">
          <Button
            type="submit"
            variant="primary"
            busy={run.isPending}
            disabled={!may || given.problem !== undefined}
          >
            <Play size={16} aria-hidden="true" />
            {t("Run")}
          </Button>
        </div>
        {run.error && <ErrorState error={run.error} />}
      </form>
      <div aria-live="polite" className="stack">
        {shown && <Result run={shown} />}
      </div>
      {runs.length > 0 && (
        <Section title={t("Your runs")}>
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
                      setParams(each.params);
                      setAs(each.as);
                    }}
                  >
                    {t("Take its parameters")}
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

/** What a run answered; lines that it logs later, from what it left running, come by themselves. */
function Result({ run }: { run: FunctionRun }) {
  const { t } = useTranslation();
  const { lines: later } = useTail({ requestId: run.requestId });
  const [lines, setLines] = useState(run.logs);
  useEffect(() => {
    if (later.length > run.logs.length) setLines([...later]);
  }, [later, run.logs]);
  return (
    <section className="card stack" aria-label={t("Result")}>
      <div className="row spread">
        <h2>{t("Result")}</h2>
        <span className="number">{t("{ms} ms", { ms: run.ms })}</span>
      </div>
      {run.error ? (
        <Notice kind="danger" title={t("It failed with code {code}", { code: String(run.error.code) })}>
          <bdi>{run.error.error}</bdi>
        </Notice>
      ) : (
        <>
          <Code label={t("Answer")} text={pretty(run.result)} wrap />
          <Instructions result={run.result} />
        </>
      )}
      <Code label={t("Trace id")} text={run.requestId} />
      {lines.length === 0 ? (
        <p className="soft">{t("It has logged nothing.")}</p>
      ) : (
        <LogLines lines={lines} label={t("What it logged")} />
      )}
    </section>
  );
}

/** What a plugin tells the client to do; here nobody does it. */
function Instructions({ result }: { result: FunctionRun["result"] }) {
  const { t } = useTranslation();
  // Around the answer of a plugin stands what its clients expect.
  const triggers = asObject(asObject(asObject(result)?.data)?.result)?.triggers;
  if (!Array.isArray(triggers) || triggers.length === 0) return null;
  return (
    <Notice kind="info" title={t("The app of whoever asks would do this now; here nothing is done")}>
      <ol className="numbered">
        {triggers.map((trigger, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are in an order, and it never changes.
          <li key={at}>{textOf(asObject(trigger) ?? {}, "name")}</li>
        ))}
      </ol>
    </Notice>
  );
}

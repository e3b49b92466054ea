import type { StudioFunctionRun } from "@purse/protocol";
import { Play } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Field } from "../../../design/Field.tsx";
import { Moment } from "../../../design/Moment.tsx";
import { Notice, Status } from "../../../design/Status.tsx";
import { EmptyState, ErrorState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useMay, useOperator, useStudio } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { parsedObject, pretty } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";
import { LogLines } from "../parts/LogLines.tsx";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { useTail } from "../parts/useTail.ts";
import { useUrl } from "../parts/useUrl.ts";
import { type FunctionRun, keepRun, ownRuns } from "./runs.ts";

interface Defined {
  /** All that can be run: also the server's own, and those of hooks and plugins. */
  functions: string[];
  /** Those of the cloud code and of plugins. */
  defined: string[];
  triggers: string[];
  rateLimited: number;
}

/** Runs functions of the cloud code, as the operator or as a user. */
export function Functions() {
  const { t } = useTexts();
  const defined = useAnswer<Defined>("/functions");
  return (
    <Room
      title={t("Functions")}
      about={t("Run a function, see what it answers, what it logs and how long it takes.")}
      changes="editor"
    >
      <Answered answer={defined} label={t("Loading the functions")}>
        {(data) => <Workbench {...data} />}
      </Answered>
    </Room>
  );
}

function Workbench({ functions, defined, triggers }: Defined) {
  const { t, count } = useTexts();
  const [name, setName] = useUrl("function");
  const [find, setFind] = useState("");
  const shown = functions.filter((each) => each.toLowerCase().includes(find.toLowerCase()));
  const isOwn = (each: string) => defined.includes(each);
  const groups = [
    { title: t("Of the code"), names: shown.filter(isOwn) },
    { title: t("Of the server and of hooks"), names: shown.filter((each) => !isOwn(each)) },
  ].filter(({ names }) => names.length > 0);
  const chosen = functions.includes(name) ? name : undefined;
  if (functions.length === 0) {
    return (
      <EmptyState title={t("There is no function yet")}>
        {t("Parse.Cloud.define in the cloud code makes one; it shows here as soon as the code is loaded.")}
      </EmptyState>
    );
  }
  return (
    <>
      <div className="workbench">
        <nav className="card" aria-label={t("Functions")}>
          <Field
            label={t("Find a function")}
            type="search"
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <p className="soft small" role="status">
            {count(shown.length, "{n} function", "{n} functions")}
          </p>
          {groups.map(({ title, names }) => (
            <div key={title}>
              <p className="soft small pick-title">{title}</p>
              <ul>
                {names.map((each) => (
                  <li key={each}>
                    <button
                      type="button"
                      className="pick"
                      aria-current={each === chosen}
                      onClick={() => setName(each)}
                    >
                      <code className="cut">{each}</code>
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {chosen === undefined ? (
          <EmptyState title={t("Choose a function")}>{t("It runs only when you say so.")}</EmptyState>
        ) : (
          <Runner key={chosen} name={chosen} />
        )}
      </div>
      {triggers.length > 0 && (
        <Section title={t("Triggers of the code")}>
          <ul className="row">
            {triggers.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Runner({ name }: { name: string }) {
  const { t } = useTexts();
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
            look="primary"
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
                  <Moment at={each.at} />
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
  const { t } = useTexts();
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
        <Code label={t("Answer")} text={pretty(run.result)} wrap />
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

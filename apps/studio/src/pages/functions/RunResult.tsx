import type { StudioFunctionRun } from "@purse/server/studio-api";
import { Code, formatDuration, Notice, useTranslation } from "@purse/ui";
import { ConnectionNotice } from "../../components/ConnectionNotice.tsx";
import { asObject, prettyJson, stringField } from "../../components/fields.ts";
import { LogLines } from "../../components/LogLines.tsx";
import { useLogTail } from "../../components/useLogTail.ts";

export interface FunctionRun extends StudioFunctionRun {
  at: string;
  /** As entered. */
  params: string;
  /** User id that the function ran as; empty for the master key. */
  as: string;
}

/** The result of a run; log entries written after the response are streamed. */
export function RunResult({ run }: { run: FunctionRun }) {
  const { t, language } = useTranslation();
  const { lines: liveLines } = useLogTail({ requestId: run.requestId });
  const lines = liveLines.length > run.logs.length ? liveLines : run.logs;
  return (
    <section className="card stack" aria-label={t("Result")}>
      <div className="row spread">
        <h2>{t("Result")}</h2>
        <span className="number">{formatDuration(run.ms, language)}</span>
      </div>
      {run.error ? (
        <>
          <Notice kind="danger" title={t("Failed with code {code}", { code: String(run.error.code) })}>
            <bdi>{run.error.error}</bdi>
          </Notice>
          {run.error.reason !== undefined && (
            <ConnectionNotice kind="warning" title={t("Reason, for operators")} error={run.error.reason} />
          )}
        </>
      ) : (
        <>
          <Code label={t("Response")} text={prettyJson(run.result)} wrap />
          <PluginInstructions result={run.result} />
        </>
      )}
      <Code label={t("Trace ID")} text={run.requestId} wrap />
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

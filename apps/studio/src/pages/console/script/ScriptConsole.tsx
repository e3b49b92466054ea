import {
  Button,
  CopyButton,
  EmptyState,
  ErrorState,
  formatDuration,
  RelativeTime,
  TextArea,
  useTranslation,
} from "@purse/ui";
import { Play, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Section } from "../../../components/Page.tsx";
import { useTabDraft } from "../../../components/useTabDraft.ts";
import { useTabHistory } from "../../../components/useTabHistory.ts";
import type { Identity } from "../consoleRequest.ts";
import { IdentityFields } from "../IdentityFields.tsx";
import { ScriptOutputList } from "./ScriptOutputList.tsx";
import { useScripts } from "./useScripts.ts";
import { treeText } from "./valueText.ts";

const EXAMPLE = `const users = await new Parse.Query("_User").limit(5).find();
users`;

interface RunScript {
  code: string;
  at: string;
}

/** Runs scripts with the SDK, which is signed in as the operator. */
export function ScriptConsole() {
  const { t, language } = useTranslation();
  const [{ code }, changeDraft] = useTabDraft("script", { code: EXAMPLE });
  const setCode = (text: string) => changeDraft({ code: text });
  const [as, setAs] = useState<Identity | undefined>("");
  const [history, addToHistory] = useTabHistory<RunScript>("scripts", {
    maxEntries: 30,
    maxLength: 20_000,
    isSame: (script, earlier) => script.code === earlier.code,
  });
  const { container, output, clear, isOpen, isRunning, ms, error, run, stop } = useScripts(as);
  const canRun = code.trim() !== "" && as !== undefined && !isRunning;
  const runButton = useRef<HTMLButtonElement>(null);

  function start(event?: FormEvent) {
    event?.preventDefault();
    if (!canRun) return;
    addToHistory({ code, at: new Date().toISOString() });
    void run(code);
  }

  function stopScript() {
    // The button disappears; the other one is enabled first.
    flushSync(stop);
    runButton.current?.focus();
  }

  function startByKey(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  }

  const text = output.map(({ values }) => values.map((value) => treeText(value)).join(" ")).join("\n");
  return (
    <div className="stack">
      <form className="card stack" aria-label={t("Script")} onSubmit={start}>
        <div className="filters">
          <IdentityFields value={as} onChange={setAs} />
        </div>
        <div className="mono-field">
          <TextArea
            label={t("Script")}
            value={code}
            onText={setCode}
            onKeyDown={startByKey}
            hint={t(
              "Parse is the SDK. await works at the top level, and the last expression is the result. Ctrl+Enter runs the script.",
            )}
            rows={10}
            isCode
          />
        </div>
        {error !== undefined && <ErrorState error={error} />}
        <div className="row">
          <Button
            icon={Play}
            ref={runButton}
            type="submit"
            variant="primary"
            busy={isRunning}
            disabled={!canRun}
          >
            {t("Run script")}
          </Button>
          {isOpen && (
            <Button
              icon={Square}
              onClick={stopScript}
              title={t("Also ends timers and requests, and forgets variables")}
            >
              {t("Stop script")}
            </Button>
          )}
          <CopyButton text={code} label={t("Script")} />
          {ms !== undefined && <span className="number soft">{formatDuration(ms, language)}</span>}
        </div>
      </form>
      <div ref={container} hidden />
      <Section
        title={t("Output")}
        actions={
          output.length > 0 && (
            <span className="row">
              <CopyButton text={text} label={t("Output")} />
              <Button small onClick={clear}>
                {t("Clear output")}
              </Button>
            </span>
          )
        }
      >
        {output.length === 0 ? (
          <EmptyState title={t("No output yet")} />
        ) : (
          <ScriptOutputList output={output} />
        )}
      </Section>
      {history.length > 0 && (
        <Section title={t("History")}>
          <ul className="list">
            {history.map((script) => (
              <li key={script.at} className="row spread">
                <span className="row">
                  <code className="cut">{script.code.replace(/\s+/g, " ").trim()}</code>
                  <RelativeTime at={script.at} />
                </span>
                <Button small onClick={() => setCode(script.code)}>
                  {t("Use again")}
                </Button>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

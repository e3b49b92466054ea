import { useTranslation } from "@purse/ui";
import type { ValueTree } from "./messages.ts";
import type { OutputEntry } from "./useScripts.ts";
import "./script.css";

/** The output of scripts: each value a tree whose objects can be opened. */
export function ScriptOutputList({ output }: { output: readonly OutputEntry[] }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <ol className="script-output" aria-label={t("Output")} aria-live="polite" tabIndex={0}>
      {output.map(({ id, level, values }) => (
        <li key={id} className={`script-${level}`}>
          {values.map((value, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the values of an entry never change.
            <ValueNode key={i} value={value} isTop />
          ))}
        </li>
      ))}
    </ol>
  );
}

function ValueNode({ name, value, isTop = false }: { name?: string; value: ValueTree; isTop?: boolean }) {
  const { kind, text, entries = [], omitted = 0 } = value;
  const label = (
    <>
      {name !== undefined && <span className="script-key">{name}: </span>}
      <span className={`script-value ${kind}`}>
        {kind === "string" && !isTop ? JSON.stringify(text) : text}
      </span>
    </>
  );
  if (entries.length === 0 && omitted === 0) return <div className="script-node">{label}</div>;
  return (
    <details className="script-node">
      <summary>{label}</summary>
      <Entries value={value} />
    </details>
  );
}

function Entries({ value: { entries = [], omitted = 0 } }: { value: ValueTree }) {
  const { t } = useTranslation();
  return (
    <div className="script-entries">
      {entries.map(({ key, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the entries never change, and maps may have equal keys.
        <ValueNode key={i} name={key} value={value} />
      ))}
      {omitted > 0 && (
        <div className="soft">
          {t("{count, plural, one {# more entry} other {# more entries}}", { count: omitted })}
        </div>
      )}
    </div>
  );
}

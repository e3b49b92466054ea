import { CopyButton } from "./CopyButton.tsx";
import "./Code.css";

export interface CodeProps {
  text: string;
  /** The accessible name, also of the copy button. */
  label: string;
  /** Wraps long lines instead of scrolling. */
  wrap?: boolean;
}

/** A code block with a copy button. Its content is never executed. */
export function Code({ text, label, wrap }: CodeProps) {
  const isLine = !text.includes("\n") && !wrap;
  return (
    <div className={isLine ? "code line" : "code"}>
      {isLine ? null : <Head text={text} label={label} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre className={wrap ? "wrap" : undefined}>{text}</pre>
      </section>
      {isLine ? <CopyButton text={text} label={label} /> : null}
    </div>
  );
}

function Head({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-head">
      <span className="soft small grow">{label}</span>
      <CopyButton text={text} label={label} />
    </div>
  );
}

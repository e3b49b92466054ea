export type StepState = "todo" | "now" | "done" | "failed";

const STATE_LABELS: Record<StepState, string> = {
  todo: "to do",
  now: "in progress",
  done: "done",
  failed: "failed",
};

/** A progress stepper that announces the current step to screen readers. */
export function Stepper({ steps }: { steps: { label: string; state: StepState }[] }) {
  const current = steps.find((step) => step.state === "now" || step.state === "failed");
  return (
    <>
      <ol className="steps">
        {steps.map(({ label, state }, i) => (
          <li key={label} data-state={state} aria-current={state === "now" ? "step" : undefined}>
            <span className="dot" aria-hidden="true">
              {state === "done" ? "✓" : state === "failed" ? "!" : i + 1}
            </span>
            <span>
              {label}
              <span className="visually-hidden">, {STATE_LABELS[state]}</span>
            </span>
          </li>
        ))}
      </ol>
      <p className="visually-hidden" role="status">
        {current && `${current.label}, ${STATE_LABELS[current.state]}`}
      </p>
    </>
  );
}

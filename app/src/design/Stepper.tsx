export type StepState = "todo" | "now" | "done" | "failed";

const SPOKEN: Record<StepState, string> = {
  todo: "to do",
  now: "in progress",
  done: "done",
  failed: "failed",
};

/** Steps of something that takes a while, the present one told to screen readers as it changes. */
export function Stepper({ steps }: { steps: { label: string; state: StepState }[] }) {
  const now = steps.find((step) => step.state === "now" || step.state === "failed");
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
              <span className="visually-hidden">, {SPOKEN[state]}</span>
            </span>
          </li>
        ))}
      </ol>
      <p className="visually-hidden" role="status">
        {now && `${now.label}, ${SPOKEN[now.state]}`}
      </p>
    </>
  );
}

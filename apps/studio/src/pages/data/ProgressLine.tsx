import { formatPercent, useTranslation } from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { Progress } from "./bulkChanges.ts";

export interface ProgressLineProps {
  label: string;
  done: number;
  all: number;
  action?: ReactNode;
}

/** Progress of a long operation, with an optional action to stop it. */
export function ProgressLine({ label, done, all, action }: ProgressLineProps) {
  const { language } = useTranslation();
  return (
    <div className="row progress-line">
      <span role="status">{label}</span>
      <progress aria-label={label} value={done} max={Math.max(1, all)} />
      <span className="number">
        {formatPercent(all === 0 ? 0 : Math.floor((done / all) * 100) / 100, language)}
      </span>
      {action}
    </div>
  );
}

/** A mutation that runs in batches. `renderProgress` shows how far it is; `stop` ends it after the current batch. */
export function useBatches<Variables, Result>(
  run: (variables: Variables, progress: Progress, signal: AbortSignal) => Promise<Result>,
  onSettled?: () => void,
) {
  const { t } = useTranslation();
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const [isStopping, setStopping] = useState(false);
  const abort = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn(variables: Variables) {
      abort.current = new AbortController();
      setStopping(false);
      setProgress({ done: 0, all: 0 });
      return run(variables, (done, all) => setProgress({ done, all }), abort.current.signal);
    },
    ...(onSettled && { onSettled }),
  });
  const renderProgress = (label: (progress: { done: number; all: number }) => string) =>
    mutation.isPending && (
      <ProgressLine
        {...progress}
        label={isStopping && mutation.isPending ? t("Stopping…") : label(progress)}
      />
    );
  const stop = () => {
    setStopping(true);
    abort.current.abort();
  };
  return { ...mutation, renderProgress, stop };
}

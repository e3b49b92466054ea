import { Button, useTranslation } from "@purse/ui";
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
  return (
    <div className="row progress-line">
      <span role="status">{label}</span>
      <progress aria-label={label} value={done} max={Math.max(1, all)} />
      {action}
    </div>
  );
}

/** A mutation that runs in batches. `renderProgress` shows how far it is, with a button that stops it. */
export function useBatches<Variables, Result>(
  run: (variables: Variables, progress: Progress, signal: AbortSignal) => Promise<Result>,
  onSettled?: () => void,
) {
  const { t } = useTranslation();
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const abort = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn(variables: Variables) {
      abort.current = new AbortController();
      return run(variables, (done, all) => setProgress({ done, all }), abort.current.signal);
    },
    ...(onSettled && { onSettled }),
  });
  const renderProgress = (label: (progress: { done: number; all: number }) => string) =>
    mutation.isPending && (
      <ProgressLine
        {...progress}
        label={label(progress)}
        action={
          <Button small onClick={() => abort.current.abort()}>
            {t("Stop")}
          </Button>
        }
      />
    );
  return { ...mutation, renderProgress };
}

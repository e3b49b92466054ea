import { useState } from "react";
import { explain } from "../errors/explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { useToast } from "./Toasts.tsx";

export interface Action<Args extends unknown[]> {
  run(...args: Args): void;
  /** Whether the action is running. */
  busy: boolean;
  /** The error of the last run; undefined if it succeeded, or if errors are toasts. */
  error: unknown;
}

/** Runs the action of a button or a form. Its error is returned, or shown as a toast. */
export function useAction<Args extends unknown[]>(
  action: (...args: Args) => Promise<unknown>,
  { errorsAs = "result" }: { errorsAs?: "result" | "toast" } = {},
): Action<Args> {
  const { t } = useTranslation();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function run(...args: Args): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await action(...args);
    } catch (failure) {
      if (errorsAs === "result") setError(failure);
      else {
        const { title, detail } = explain(failure, t);
        toast(`${title}. ${detail}`);
      }
    } finally {
      setBusy(false);
    }
  }
  return { run: (...args) => void run(...args), busy, error };
}

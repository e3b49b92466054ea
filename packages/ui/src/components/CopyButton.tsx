import { useEffect, useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("refused");
    }
  }
  const status = { idle: t("Copy"), copied: t("Copied"), refused: t("Not allowed") }[state];
  return (
    <Button small variant="quiet" onClick={copy} aria-label={t("Copy {what}", { what: label })}>
      <span role="status">{status}</span>
    </Button>
  );
}

import { Share2 } from "lucide-react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";

export interface ShareButtonProps {
  /** What is shared, for the button's name. */
  label: string;
  /** What the system's dialog hands on. Called when the button is pressed. */
  content: () => ShareData;
}

/** Opens the system's dialog for sharing, on devices that have one; elsewhere there is no button. */
export function ShareButton({ label, content }: ShareButtonProps) {
  const { t } = useTranslation();
  if (typeof navigator.share !== "function") return null;
  async function share() {
    const data = content();
    // Not every system takes files.
    const { files, ...others } = data;
    try {
      await navigator.share(navigator.canShare?.(data) === false ? others : data);
    } catch {
      // The dialog was closed, and says itself if an app did not take the content.
    }
  }
  return (
    <Button
      small
      variant="quiet"
      onClick={() => void share()}
      aria-label={t("Share {what}", { what: label })}
    >
      <Share2 size={16} aria-hidden="true" /> {t("Share…")}
    </Button>
  );
}

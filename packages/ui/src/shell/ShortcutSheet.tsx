import { Dialog } from "../components/Dialog.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** Keys that are pressed together or one after the other, and what they do. */
export interface ShortcutRow {
  keys: readonly string[];
  label: string;
}

export interface ShortcutSheetProps {
  rows: readonly ShortcutRow[];
  onClose: () => void;
}

/** Lists keyboard shortcuts. */
export function ShortcutSheet({ rows, onClose }: ShortcutSheetProps) {
  const { t } = useTranslation();
  return (
    <Dialog open onClose={onClose} title={t("Keyboard shortcuts")}>
      <dl className="shortcuts">
        {rows.map(({ keys, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

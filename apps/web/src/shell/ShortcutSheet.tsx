import { Dialog, useTranslation } from "@purse/ui";
import { PAGES } from "./pages.ts";

/** Lists all global keyboard shortcuts. */
export function ShortcutSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const rows = [
    { keys: ["Ctrl", "K"], label: t("Open the command palette") },
    { keys: ["?"], label: t("Show keyboard shortcuts") },
    ...PAGES.map(({ label, shortcut }) => ({ keys: ["G", shortcut.toUpperCase()], label: t(label) })),
  ];
  return (
    <Dialog open={open} onClose={onClose} title={t("Keyboard shortcuts")}>
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

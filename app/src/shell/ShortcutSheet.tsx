import { Dialog } from "../design/Dialog.tsx";
import { useTexts } from "../texts/TextsContext.tsx";
import { PAGES } from "./pages.ts";

/** All keys that work from anywhere. */
export function ShortcutSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const rows = [
    { keys: ["Ctrl", "K"], label: t("Find and do anything") },
    { keys: ["?"], label: t("Show these keys") },
    ...PAGES.map(({ label, letter }) => ({ keys: ["G", letter.toUpperCase()], label: t(label) })),
  ];
  return (
    <Dialog open={open} onClose={onClose} title={t("Keys")}>
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

import {
  type Command,
  CommandPalette,
  Dialog,
  setTheme,
  THEMES,
  useShortcuts,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Suspense, useMemo, useState } from "react";
import { useStudio } from "../StudioContext.tsx";
import { useNavItems } from "./useNavItems.ts";

/** The command palette (Ctrl+K) and the shortcut sheet (`?`). */
export function StudioCommands({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const studio = useStudio();
  const items = useNavItems();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useMemo(
    () => ({
      "mod+k": () => onOpenChange(true),
      "?": () => setHelpOpen(true),
      ...Object.fromEntries(items.map(({ to, shortcut }) => [`g ${shortcut}`, () => void navigate({ to })])),
    }),
    [navigate, onOpenChange, items],
  );
  useShortcuts(shortcuts);
  const commands: Command[] = [
    ...items.map(({ to, label, shortcut, keywords }) => ({
      key: to,
      label: t(label),
      hint: `G ${shortcut.toUpperCase()}`,
      ...(keywords !== undefined && { keywords }),
      run: () => void navigate({ to }),
    })),
    { key: "sign-out", label: t("Sign out"), run: () => void studio.signOut() },
    ...THEMES.map((theme) => ({
      key: `theme ${theme}`,
      label: t("Theme: {theme}", { theme: t(theme) }),
      keywords: "colours dark light appearance",
      run: () => setTheme(theme),
    })),
    { key: "keys", label: t("Keyboard shortcuts"), hint: "?", run: () => setHelpOpen(true) },
  ];
  const keys = [
    { keys: ["Ctrl", "K"], label: t("Open command palette") },
    { keys: ["?"], label: t("Keyboard shortcuts") },
    ...items.map(({ label, shortcut }) => ({ keys: ["G", shortcut.toUpperCase()], label: t(label) })),
    ...(items.find(({ to }) => to === path)?.keys ?? []).map(({ keys, label }) => ({
      keys,
      label: t(label),
    })),
  ];
  return (
    <>
      <Suspense>
        {open && <CommandPalette open onClose={() => onOpenChange(false)} commands={commands} />}
      </Suspense>
      <Dialog open={isHelpOpen} onClose={() => setHelpOpen(false)} title={t("Keyboard shortcuts")}>
        <dl className="shortcuts">
          {keys.map((row) => (
            <div key={row.label}>
              <dt>{row.label}</dt>
              <dd>
                {row.keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}

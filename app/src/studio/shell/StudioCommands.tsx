import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Dialog } from "../../design/Dialog.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { CommandPalette } from "../../shell/CommandPalette.tsx";
import type { Command } from "../../shell/commands.ts";
import { setTheme, THEMES } from "../../shell/theme.ts";
import { useShortcuts } from "../../shell/useShortcuts.ts";
import { useStudio } from "../StudioContext.tsx";
import { useRooms } from "./useRooms.ts";

/** What can be done from anywhere: by the palette (Ctrl+K), and by keys of its own (`?` lists them). */
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
  const rooms = useRooms();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [showsKeys, setShowsKeys] = useState(false);
  const shortcuts = useMemo(
    () => ({
      "mod+k": () => onOpenChange(true),
      "?": () => setShowsKeys(true),
      ...Object.fromEntries(rooms.map(({ to, letter }) => [`g ${letter}`, () => void navigate({ to })])),
    }),
    [navigate, onOpenChange, rooms],
  );
  useShortcuts(shortcuts);
  const commands: Command[] = [
    ...rooms.map(({ to, label, letter, words }) => ({
      key: to,
      label: t(label),
      hint: `G ${letter.toUpperCase()}`,
      ...(words !== undefined && { keywords: words }),
      run: () => void navigate({ to }),
    })),
    { key: "sign-out", label: t("Sign out"), run: () => void studio.leave() },
    ...THEMES.map((theme) => ({
      key: `theme ${theme}`,
      label: t("Theme: {theme}", { theme: t(theme) }),
      keywords: "colours dark light appearance",
      run: () => setTheme(theme),
    })),
    { key: "keys", label: t("Show the keys"), hint: "?", run: () => setShowsKeys(true) },
  ];
  const keys = [
    { keys: ["Ctrl", "K"], label: t("Find and do anything") },
    { keys: ["?"], label: t("Show these keys") },
    ...rooms.map(({ label, letter }) => ({ keys: ["G", letter.toUpperCase()], label: t(label) })),
    ...(rooms.find(({ to }) => to === path)?.keys ?? []).map(({ keys, label }) => ({
      keys,
      label: t(label),
    })),
  ];
  return (
    <>
      <CommandPalette open={open} onClose={() => onOpenChange(false)} commands={commands} />
      <Dialog open={showsKeys} onClose={() => setShowsKeys(false)} title={t("Keys")}>
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

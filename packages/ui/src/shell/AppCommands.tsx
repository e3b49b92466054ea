import { useNavigate } from "@tanstack/react-router";
import { lazy, useMemo, useState } from "react";
import { LANGUAGES } from "../i18n/languages.ts";
import { useLanguageChoice, useTranslation } from "../i18n/TranslationContext.tsx";
import type { NavItem } from "./AppShell.tsx";
import { CommandPalette } from "./CommandPalette.tsx";
import type { Command } from "./commands.ts";
import { LazyDialog } from "./lazyParts.tsx";
import type { ShortcutRow } from "./ShortcutSheet.tsx";
import { setTheme, THEME_NAMES, THEMES } from "./theme.ts";
import { useShortcuts } from "./useShortcuts.ts";

// Loaded on demand.
const ShortcutSheet = lazy(() =>
  import("./ShortcutSheet.tsx").then((module) => ({ default: module.ShortcutSheet })),
);

export interface AppCommandsProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The pages of the app. */
  pages: readonly NavItem[];
  /** Commands of the app besides its pages, themes and languages. */
  commands: readonly Command[];
  /** Additional results for a query, for example an address. */
  suggest?: (query: string) => readonly Command[];
  /** Results after all others, for example a search elsewhere. */
  fallback?: (query: string) => readonly Command[];
  /** What the palette searches, if not addresses and blocks. */
  searchLabel?: string;
  /** Shortcuts of the current page, for the list of shortcuts. */
  pageShortcuts?: readonly ShortcutRow[];
}

/** Global commands: in the palette (Ctrl+K) and as keyboard shortcuts (`?` lists them). */
export function AppCommands(props: AppCommandsProps) {
  const { open, onOpenChange, pages, suggest, fallback, searchLabel, pageShortcuts = [] } = props;
  const { t } = useTranslation();
  const { choose } = useLanguageChoice();
  const navigate = useNavigate();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useMemo(
    () => ({
      "mod+k": () => onOpenChange(true),
      "?": () => setHelpOpen(true),
      ...Object.fromEntries(pages.map(({ to, shortcut }) => [`g ${shortcut}`, () => void navigate({ to })])),
    }),
    [navigate, onOpenChange, pages],
  );
  useShortcuts(shortcuts);
  const commands: Command[] = [
    ...pages.map(({ to, label, icon, shortcut, keywords }) => ({
      key: to,
      label: t(label),
      icon,
      group: t("Pages"),
      hint: `G ${shortcut.toUpperCase()}`,
      ...(keywords !== undefined && { keywords }),
      run: () => void navigate({ to }),
    })),
    ...props.commands.map((command) => ({ group: t("Actions"), ...command })),
    ...THEMES.map((theme) => ({
      key: `theme ${theme}`,
      label: t("Theme: {theme}", { theme: t(THEME_NAMES[theme]) }),
      group: t("Settings"),
      keywords: "colors appearance",
      run: () => setTheme(theme),
    })),
    ...LANGUAGES.map(({ code, name }) => ({
      key: `language ${code}`,
      label: t("Language: {language}", { language: name }),
      group: t("Settings"),
      keywords: "language sprache idioma langue 言語 语言 translation",
      run: () => choose(code),
    })),
    {
      key: "docs",
      label: t("Documentation"),
      group: t("Actions"),
      keywords: "docs help guide reference manual",
      run: () => window.location.assign("/docs/"),
    },
    {
      key: "keys",
      label: t("Keyboard shortcuts"),
      group: t("Actions"),
      hint: "?",
      run: () => setHelpOpen(true),
    },
  ];
  const rows: ShortcutRow[] = [
    { keys: ["Ctrl", "K"], label: t("Open the command palette") },
    { keys: ["?"], label: t("Show keyboard shortcuts") },
    ...pages.map(({ label, shortcut }) => ({ keys: ["G", shortcut.toUpperCase()], label: t(label) })),
    ...pageShortcuts,
  ];
  return (
    <>
      {open && (
        <CommandPalette
          onClose={() => onOpenChange(false)}
          commands={commands}
          searchLabel={searchLabel}
          {...(suggest && { suggest })}
          {...(fallback && { fallback })}
        />
      )}
      {isHelpOpen && (
        <LazyDialog onClose={() => setHelpOpen(false)}>
          <ShortcutSheet rows={rows} onClose={() => setHelpOpen(false)} />
        </LazyDialog>
      )}
    </>
  );
}

import { useNavigate, useRouter } from "@tanstack/react-router";
import { History } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { LANGUAGES } from "../i18n/languages.ts";
import { useLanguageChoice, useTranslation } from "../i18n/TranslationContext.tsx";
import type { NavItem } from "./AppShell.tsx";
import type { Command } from "./commands.ts";
import { recentPages } from "./recentPages.ts";
import type { ShortcutRow } from "./ShortcutSheet.tsx";
import { setTheme, THEME_NAMES, THEMES } from "./theme.ts";
import { useShortcuts } from "./useShortcuts.ts";

// Loaded on demand.
const CommandPalette = lazy(() =>
  import("./CommandPalette.tsx").then((module) => ({ default: module.CommandPalette })),
);
const ShortcutSheet = lazy(() =>
  import("./ShortcutSheet.tsx").then((module) => ({ default: module.ShortcutSheet })),
);

const MAX_RECENT = 5;

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
  /** Shortcuts of the current page, for the list of shortcuts. */
  pageShortcuts?: readonly ShortcutRow[];
}

/** Global commands: in the palette (Ctrl+K) and as keyboard shortcuts (`?` lists them). */
export function AppCommands(props: AppCommandsProps) {
  const { open, onOpenChange, pages, suggest, fallback, pageShortcuts = [] } = props;
  const { t } = useTranslation();
  const { choose } = useLanguageChoice();
  const navigate = useNavigate();
  const router = useRouter();
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
    ...(open ? recentCommands() : []),
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
      keywords: "colours appearance",
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
      key: "keys",
      label: t("Keyboard shortcuts"),
      group: t("Actions"),
      hint: "?",
      run: () => setHelpOpen(true),
    },
  ];
  /** Pages below those of the navigation, such as a block or a class. */
  function recentCommands(): Command[] {
    const labels = new Set(pages.map(({ label }) => t(label)));
    return recentPages()
      .filter(({ title }) => !labels.has(title))
      .slice(0, MAX_RECENT)
      .map(({ href, title }) => ({
        key: `recent ${href}`,
        label: title,
        icon: History,
        group: t("Recent pages"),
        run: () => router.history.push(href),
      }));
  }
  const rows: ShortcutRow[] = [
    { keys: ["Ctrl", "K"], label: t("Open the command palette") },
    { keys: ["?"], label: t("Show keyboard shortcuts") },
    ...pages.map(({ label, shortcut }) => ({ keys: ["G", shortcut.toUpperCase()], label: t(label) })),
    ...pageShortcuts,
  ];
  return (
    <Suspense>
      {open && (
        <CommandPalette
          open
          onClose={() => onOpenChange(false)}
          commands={commands}
          {...(suggest && { suggest })}
          {...(fallback && { fallback })}
        />
      )}
      {isHelpOpen && <ShortcutSheet rows={rows} onClose={() => setHelpOpen(false)} />}
    </Suspense>
  );
}

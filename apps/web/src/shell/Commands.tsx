import { useMoralis } from "@purse/react";
import {
  type Command,
  CommandPalette,
  LANGUAGES,
  setTheme,
  THEME_NAMES,
  THEMES,
  useLanguageChoice,
  useShortcuts,
  useTranslation,
} from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { suggestions } from "../pages/explorer/suggestions.ts";
import { useConnectWallet } from "../wallet/ConnectWallet.tsx";
import { PAGES } from "./pages.ts";

// Loaded on demand.
const ShortcutSheet = lazy(() =>
  import("./ShortcutSheet.tsx").then((module) => ({ default: module.ShortcutSheet })),
);

/** Global commands: in the palette (Ctrl+K) and as keyboard shortcuts (`?` lists them). */
export function Commands({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const { choose } = useLanguageChoice();
  const navigate = useNavigate();
  const { isAuthenticated, logout, account, deactivateWeb3 } = useMoralis();
  const connectWallet = useConnectWallet();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useMemo(
    () => ({
      "mod+k": () => onOpenChange(true),
      "?": () => setHelpOpen(true),
      ...Object.fromEntries(PAGES.map(({ to, shortcut }) => [`g ${shortcut}`, () => void navigate({ to })])),
    }),
    [navigate, onOpenChange],
  );
  useShortcuts(shortcuts);
  const suggest = useCallback(
    (query: string): Command[] =>
      suggestions(query, t).map(({ key, label, to }) => ({
        key: `explorer ${key}`,
        label,
        hint: t("Explorer"),
        run: () => void navigate({ href: to }),
      })),
    [navigate, t],
  );
  const commands: Command[] = [
    ...PAGES.map(({ to, label, shortcut, keywords }) => ({
      key: to,
      label: t(label),
      hint: `G ${shortcut.toUpperCase()}`,
      ...(keywords !== undefined && { keywords }),
      run: () => void navigate({ to }),
    })),
    isAuthenticated
      ? { key: "sign-out", label: t("Sign out"), run: () => void logout() }
      : { key: "sign-in", label: t("Sign in"), run: () => void navigate({ to: "/sign-in", search: {} }) },
    account === null
      ? { key: "connect", label: t("Connect a wallet"), run: connectWallet }
      : { key: "disconnect", label: t("Disconnect wallet"), run: () => void deactivateWeb3() },
    ...THEMES.map((theme) => ({
      key: `theme ${theme}`,
      label: t("Theme: {theme}", { theme: t(THEME_NAMES[theme]) }),
      keywords: "colours appearance",
      run: () => setTheme(theme),
    })),
    ...LANGUAGES.map(({ code, name }) => ({
      key: `language ${code}`,
      label: t("Language: {language}", { language: name }),
      keywords: "language sprache translation",
      run: () => choose(code),
    })),
    { key: "keys", label: t("Keyboard shortcuts"), hint: "?", run: () => setHelpOpen(true) },
    {
      key: "design",
      label: t("Design system"),
      keywords: "components colours",
      run: () => void navigate({ to: "/design" }),
    },
  ];
  return (
    <Suspense>
      {open && (
        <CommandPalette open onClose={() => onOpenChange(false)} commands={commands} suggest={suggest} />
      )}
      {isHelpOpen && <ShortcutSheet open onClose={() => setHelpOpen(false)} />}
    </Suspense>
  );
}

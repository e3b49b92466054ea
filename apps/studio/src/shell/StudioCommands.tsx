import { AppCommands, type Command, useTranslation } from "@purse/ui";
import { useRouterState } from "@tanstack/react-router";
import { useStudio } from "../StudioContext.tsx";
import { useNavItems } from "./useNavItems.ts";
import { useStudioSearch } from "./useStudioSearch.ts";

export interface StudioCommandsProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The command palette (Ctrl+K) and the shortcut sheet (`?`). */
export function StudioCommands({ open, onOpenChange }: StudioCommandsProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const pages = useNavItems();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const commands: Command[] = [{ key: "sign-out", label: t("Sign out"), run: () => void studio.signOut() }];
  const found = useStudioSearch(open);
  const pageShortcuts = pages
    .find(({ to }) => to === path)
    ?.keys?.map(({ keys, label }) => ({ keys, label: t(label) }));
  return (
    <AppCommands
      {...{ open, onOpenChange, pages, commands, ...found }}
      searchLabel={t("Search pages, classes, functions, roles, users…")}
      pageShortcuts={pageShortcuts ?? []}
    />
  );
}

import { AppCommands, type Command, LazyExtra, useTranslation } from "@purse/ui";
import { useRouterState } from "@tanstack/react-router";
import { lazy, useState } from "react";
import { useStudio } from "../StudioContext.tsx";
import type { FoundSearch } from "./FoundCommands.tsx";
import { useNavItems } from "./useNavItems.ts";

/** Loaded with the palette: what it finds besides pages and actions. */
const FoundCommands = lazy(() =>
  import("./FoundCommands.tsx").then((module) => ({ default: module.FoundCommands })),
);

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
  const [found, setFound] = useState<FoundSearch>();
  const pageShortcuts = pages
    .find(({ to }) => to === path)
    ?.keys?.map(({ keys, label }) => ({ keys, label: t(label) }));
  return (
    <>
      {open && (
        <LazyExtra>
          <FoundCommands onFound={setFound} />
        </LazyExtra>
      )}
      <AppCommands
        {...{ open, onOpenChange, pages, commands, ...found }}
        searchLabel={t("Search pages, classes, functions, roles, users…")}
        pageShortcuts={pageShortcuts ?? []}
      />
    </>
  );
}

import { type Command, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { Boxes, SquareFunction, UsersRound } from "lucide-react";
import { useCallback } from "react";
import { useStudioQuery } from "../components/useStudioQuery.ts";

/** Names of one kind that are suggested at most. */
const MAX_NAMES = 8;

/** What the command palette finds besides pages: classes, functions, jobs and users by a text. Read once it is open. */
export function useStudioSearch(isOpen: boolean): { fallback: (query: string) => Command[] } {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const options = { enabled: isOpen };
  const classes = useStudioQuery("/schema", {}, options).data?.results;
  const functions = useStudioQuery("/functions", {}, options).data?.functions;
  const fallback = useCallback(
    (query: string): Command[] => {
      const text = query.trim().toLowerCase();
      if (text === "") return [];
      const matching = (names: readonly string[]) => namesContaining(names, text).slice(0, MAX_NAMES);
      return [
        ...matching((classes ?? []).map(({ className }) => className)).map((className) => ({
          key: `class ${className}`,
          label: className,
          group: t("Classes"),
          icon: Boxes,
          run: () => void navigate({ to: "/data", search: { class: className } }),
        })),
        ...matching(functions ?? []).map((name) => ({
          key: `function ${name}`,
          label: name,
          group: t("Functions"),
          icon: SquareFunction,
          run: () => void navigate({ to: "/functions", search: { function: name } }),
        })),
        {
          key: "users",
          label: t('Search users for "{text}"', { text: query.trim() }),
          group: t("Users"),
          icon: UsersRound,
          run: () =>
            void navigate({
              to: "/data",
              search: {
                class: "_User",
                filter: [{ field: "username", operator: "contains", value: query.trim() }],
              },
            }),
        },
      ];
    },
    [classes, functions, navigate, t],
  );
  return { fallback };
}

/** The names that contain a text (lower case), those that begin with it first. */
export function namesContaining(names: readonly string[], text: string): string[] {
  const found = names.filter((name) => name.toLowerCase().includes(text));
  return found.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));

  function rank(name: string): number {
    return name.toLowerCase().startsWith(text) ? 0 : 1;
  }
}

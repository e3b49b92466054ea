import { type Command, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import {
  Boxes,
  Clock,
  Cog,
  LockKeyhole,
  type LucideIcon,
  Network,
  SquareFunction,
  Table2,
  UsersRound,
} from "lucide-react";
import { useCallback, useEffect } from "react";
import { useStudioList, useStudioQuery } from "../components/useStudioQuery.ts";

/** Finds commands for a text. */
export interface FoundSearch {
  fallback: (query: string) => Command[];
}

/** Names of one kind that are suggested at most. */
const MAX_NAMES = 8;

/**
 * What the command palette finds besides pages: classes, functions, jobs, roles, config parameters and users by a text.
 * Loaded and read once the palette is open.
 */
export function FoundCommands({ onFound }: { onFound: (search: FoundSearch) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const classes = useStudioQuery("/schema", {}).data?.results;
  const functions = useStudioQuery("/functions", {}).data?.functions;
  const jobs = useStudioQuery("/jobs", {}).data?.jobs;
  const roles = useStudioQuery("/roles", {}).data?.roles;
  const parameters = useStudioList("/config", {}).data;
  const fallback = useCallback(
    (query: string): Command[] => {
      const text = query.trim().toLowerCase();
      if (text === "") return [];
      const named = (
        kind: string,
        group: string,
        icon: LucideIcon,
        names: readonly string[] | undefined,
        open: (name: string) => Promise<void>,
      ): Command[] =>
        namesContaining(names ?? [], text)
          .slice(0, MAX_NAMES)
          .map((name) => ({ key: `${kind} ${name}`, label: name, group, icon, run: () => void open(name) }));
      const namesOf = (rows: readonly { name: string }[] | undefined) => rows?.map(({ name }) => name);
      const classNames = classes?.map(({ className }) => className) ?? [];
      return [
        ...named("class", t("Classes"), Table2, classNames, (name) =>
          navigate({ to: "/data", search: { class: name } }),
        ),
        ...namesContaining(classNames, text)
          .slice(0, 1)
          .flatMap((name) => [
            {
              key: `fields ${name}`,
              label: t("Fields of {name}", { name }),
              group: t("Classes"),
              icon: Boxes,
              run: () => void navigate({ to: "/classes", search: { class: name } }),
            },
            {
              key: `permissions ${name}`,
              label: t("Permissions of {name}", { name }),
              group: t("Classes"),
              icon: LockKeyhole,
              run: () => void navigate({ to: "/permissions", search: { class: name } }),
            },
          ]),
        ...named("function", t("Functions"), SquareFunction, functions, (name) =>
          navigate({ to: "/functions", search: { function: name } }),
        ),
        ...named("job", t("Jobs"), Clock, jobs, (name) => navigate({ to: "/jobs", search: { job: name } })),
        ...named("role", t("Roles"), Network, namesOf(roles), (name) =>
          navigate({ to: "/roles", search: { role: name } }),
        ),
        ...named("parameter", t("Config"), Cog, namesOf(parameters), () => navigate({ to: "/config" })),
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
    [classes, functions, jobs, roles, parameters, navigate, t],
  );
  useEffect(() => onFound({ fallback }), [fallback, onFound]);
  return null;
}

/** The names that contain a text (lower case), those that begin with it first. */
export function namesContaining(names: readonly string[], text: string): string[] {
  const found = names.filter((name) => name.toLowerCase().includes(text));
  return found.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));

  function rank(name: string): number {
    return name.toLowerCase().startsWith(text) ? 0 : 1;
  }
}

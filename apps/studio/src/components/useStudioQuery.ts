import type { StudioInput, StudioListPath, StudioPagePath, StudioPath } from "@purse/server/studio-api";
import { refetchIntervalOf, useToast, useTranslation } from "@purse/ui";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { StudioApi } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";

export interface StudioQueryOptions {
  /** In ms. */
  refetchInterval?: number;
  enabled?: boolean;
}

/** What all queries of a route share. */
function queryOptions<Path, Input>(path: Path, input: Input, refetchInterval: number | undefined) {
  return {
    queryKey: [path, input] as const,
    refetchInterval: (query: Parameters<typeof refetchIntervalOf>[0]) =>
      refetchIntervalOf(query, refetchInterval),
  };
}

/** Reads a GET route; refetches after every mutation and at `refetchInterval` if given. */
export function useStudioQuery<Path extends StudioPath<"GET">>(
  path: Path,
  input: StudioInput<"GET", Path>,
  { refetchInterval, enabled = true }: StudioQueryOptions = {},
) {
  const studio = useStudio();
  return useQuery({
    ...queryOptions(path, input, refetchInterval),
    queryFn: ({ signal }) => studio.get(path, input, signal),
    enabled,
  });
}

/** Reads a GET route that returns all rows at once, as `{ results }`. */
export function useStudioList<Path extends StudioListPath>(
  path: Path,
  input: StudioInput<"GET", Path>,
  { refetchInterval, enabled = true }: StudioQueryOptions = {},
) {
  const studio = useStudio();
  return useQuery({
    ...queryOptions(path, input, refetchInterval),
    queryFn: ({ signal }) => studio.getRows(path, input, undefined, signal),
    select: ({ results }) => results,
    enabled,
  });
}

/** Reads a paginated route, newest rows first; `data` are the rows of all pages that are loaded. */
export function useInfiniteStudioQuery<Path extends StudioPagePath>(
  path: Path,
  input: StudioInput<"GET", Path>,
  refetchInterval?: number,
) {
  const studio = useStudio();
  const result = useInfiniteQuery({
    ...queryOptions(path, input, refetchInterval),
    queryFn: ({ pageParam, signal }) => studio.getRows(path, input, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  return { ...result, data: result.data?.pages.flatMap(({ results }) => results) };
}

/**
 * Runs a mutation, which gets the API and its variables, and shows a toast on success. All queries are refetched
 * afterwards, since a change may show in many places, as a job run does in its history.
 */
export function useStudioMutation<Variables = void, Result = unknown>(
  mutationFn: (studio: StudioApi, variables: Variables) => Promise<Result>,
  successMessage?: string | ((result: Result, variables: Variables) => string),
) {
  const studio = useStudio();
  const toast = useToast();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (variables: Variables) => mutationFn(studio, variables),
    onSuccess(result, variables) {
      if (successMessage !== undefined)
        toast(typeof successMessage === "string" ? successMessage : successMessage(result, variables));
      return queryClient.invalidateQueries();
    },
  });
}

/** A mutation whose toast offers to undo it. `error` is the error of either. */
export function useUndoableMutation<Variables = void>(
  mutationFn: (variables: Variables) => Promise<unknown>,
  undo: (variables: Variables) => Promise<unknown>,
  successMessage: (variables: Variables) => string,
) {
  const { t } = useTranslation();
  const toast = useToast();
  const restore = useStudioMutation((_, variables: Variables) => undo(variables));
  const { mutate, isPending, error } = useStudioMutation((_, variables: Variables) => mutationFn(variables));
  return {
    isPending,
    error: error ?? restore.error,
    mutate: (variables: Variables) =>
      mutate(variables, {
        onSuccess: () =>
          toast(successMessage(variables), { label: t("Undo"), run: () => restore.mutate(variables) }),
      }),
  };
}

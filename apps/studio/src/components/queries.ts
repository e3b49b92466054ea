import type { JsonObject, StudioPage } from "@purse/protocol";
import { refetchIntervalOf, useToast, useTranslation } from "@purse/ui";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Query } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";

/** Reads a GET route; refetches after every mutation and at `refetchInterval` (ms) if given. */
export function useStudioQuery<T>(
  path: string,
  {
    query = {},
    refetchInterval,
    enabled = true,
  }: { query?: Query; refetchInterval?: number; enabled?: boolean } = {},
) {
  const studio = useStudio();
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => studio.get<T>(path, query, signal),
    enabled,
    refetchInterval: (query) => refetchIntervalOf(query, refetchInterval),
  });
}

/** Reads a GET route that returns all rows at once, as `{ results }`. */
export function useStudioList<Row>(path: string, options?: Parameters<typeof useStudioQuery>[1]) {
  const query = useStudioQuery<{ results: Row[] }>(path, options);
  return { ...query, data: query.data?.results };
}

/** Reads a paginated route, newest rows first; `data` are the rows of all pages that are loaded. */
export function useInfiniteStudioQuery<Row = JsonObject>(
  path: string,
  query: Query = {},
  refetchInterval?: number,
) {
  const studio = useStudio();
  const result = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) =>
      studio.get<StudioPage<Row>>(path, { ...query, after: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }: StudioPage<Row>) => next,
    refetchInterval: (query) => refetchIntervalOf(query, refetchInterval),
  });
  return { ...result, data: result.data?.pages.flatMap(({ results }) => results) };
}

/**
 * Runs a mutation and shows a toast on success. All queries are refetched afterwards, since a change may show in many
 * places, as a job run does in its history.
 */
export function useStudioMutation<Variables = void, Result = unknown>(
  mutationFn: (variables: Variables) => Promise<Result>,
  successMessage?: string | ((result: Result, variables: Variables) => string),
) {
  const toast = useToast();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
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
  const restore = useStudioMutation(undo);
  const { mutate, isPending, error } = useStudioMutation(mutationFn);
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

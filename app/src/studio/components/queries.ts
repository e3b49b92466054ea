import type { JsonObject, StudioPage } from "@purse/protocol";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useToast } from "../../design/Toasts.tsx";
import { againAfter } from "../../query/queryClient.ts";
import type { Query } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";

/** What a route answers, asked anew every so many ms where that is given, and after each change. */
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
    refetchInterval: (query) => againAfter(query, refetchInterval),
  });
}

/** Rows of a route that answers in pages, the newest first. */
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
    refetchInterval: (query) => againAfter(query, refetchInterval),
  });
  return { ...result, rows: result.data?.pages.flatMap(({ results }) => results) };
}

/**
 * Does something and says so. All that is on the page is asked anew afterwards: a change may show in many places, as
 * a job that runs does in its history.
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

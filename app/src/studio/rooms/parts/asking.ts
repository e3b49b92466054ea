import type { JsonObject, StudioPage } from "@purse/protocol";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useToast } from "../../../design/Toasts.tsx";
import { refetchIntervalOf } from "../../../query/queryClient.ts";
import type { Query } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";

/** What a route answers, asked anew every so many ms where that is given, and after each change. */
export function useAnswer<T>(
  path: string,
  { query = {}, every, enabled = true }: { query?: Query; every?: number; enabled?: boolean } = {},
) {
  const studio = useStudio();
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => studio.get<T>(path, query, signal),
    enabled,
    refetchInterval: (given) => refetchIntervalOf(given, every),
  });
}

/** Rows of a route that answers in pages, the newest first. */
export function useRows<Row = JsonObject>(path: string, query: Query = {}, every?: number) {
  const studio = useStudio();
  const found = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) =>
      studio.get<StudioPage<Row>>(path, { ...query, after: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }: StudioPage<Row>) => next,
    refetchInterval: (given) => refetchIntervalOf(given, every),
  });
  return { ...found, rows: found.data?.pages.flatMap(({ results }) => results) };
}

/**
 * Does something and says so. All that is on the page is asked anew afterwards: a change may show in many places, as
 * a job that runs does in its history.
 */
export function useChange<Given = void, Answer = unknown>(
  change: (given: Given) => Promise<Answer>,
  said?: string | ((answer: Answer, given: Given) => string),
) {
  const toast = useToast();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess(answer, given) {
      if (said !== undefined) toast(typeof said === "string" ? said : said(answer, given));
      return queries.invalidateQueries();
    },
  });
}

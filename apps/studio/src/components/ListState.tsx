import { Button, type QueryResult, QueryState, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";

/** The rows of `useStudioList` or `useInfiniteStudioQuery`. */
export interface ListQuery<Row> extends QueryResult<Row[]> {
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?(): unknown;
}

export interface ListStateProps<Row> {
  query: ListQuery<Row>;
  /** The loading label for screen readers. */
  label: string;
  children: (rows: Row[]) => ReactNode;
}

/** Shows the rows of a list or the state of its query, with a button that loads the next page. */
export function ListState<Row>({ query, label, children }: ListStateProps<Row>) {
  const { t } = useTranslation();
  const { hasNextPage, isFetchingNextPage = false, fetchNextPage } = query;
  return (
    <QueryState query={query} label={label}>
      {(rows) => (
        <>
          {children(rows)}
          {hasNextPage && (
            <div className="row center">
              <Button small busy={isFetchingNextPage} onClick={() => fetchNextPage?.()}>
                {t("Show more")}
              </Button>
            </div>
          )}
        </>
      )}
    </QueryState>
  );
}

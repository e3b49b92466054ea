import type { Page } from "@purse/client";
import { type QueryResult, QueryState, Skeleton, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CsvColumns } from "./csvColumns.ts";
import { useLiveDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { ExportButton } from "./ExportButton.tsx";

/** Maximum number of exported rows. */
const MAX_EXPORTED_ROWS = 2_000;
const EXPORT_PAGE_SIZE = 500;

interface PageParams {
  chain: string;
  limit: number;
  cursor?: string;
}

export interface PagedListProps<Params extends object, Row> {
  title: string;
  /** The loading label for screen readers. */
  label: string;
  /** Reads a page of the list; the first one without a cursor. */
  operation: (params: Params & PageParams, options?: { signal?: AbortSignal }) => Promise<Page<Row>>;
  params: Params;
  pageSize?: number;
  /** Refetches the first page with each block. */
  isLive?: boolean;
  /** Enables the CSV export; otherwise only the row count is shown. `name` has no extension. */
  file?: { name: string; columns: CsvColumns<Row> };
  /** Renders errors that are results, instead of the list. */
  renderError?: (error: unknown) => ReactNode;
  /** The rows; undefined while loading. */
  children: (rows: readonly Row[] | undefined) => ReactNode;
}

/** A section with a list of the data API, whose page is in the URL, with its row count and CSV export. */
export function PagedList<Params extends object, Row>(props: PagedListProps<Params, Row>) {
  const {
    title,
    label,
    operation,
    params,
    pageSize = 25,
    isLive = false,
    file,
    renderError,
    children,
  } = props;
  const chain = useExplorer().chain.hexId;
  const { cursor } = useSearch({ strict: false });
  const page = (limit: number, after: string | undefined) => ({
    ...params,
    chain,
    limit,
    ...(after && { cursor: after }),
  });
  const query = useLiveDataQuery(operation, page(pageSize, cursor), isLive && cursor === undefined);
  const hasList =
    query.data !== undefined || query.error === null || renderError?.(query.error) === undefined;
  return (
    <section className={file ? "card stack tight" : "card stack"} aria-label={title}>
      {hasList && (
        <div className="row spread">
          <RowCount query={query} />
          {file && (
            <ExportButton
              {...file}
              rows={() =>
                readAllPages((after) => operation(page(EXPORT_PAGE_SIZE, after)), MAX_EXPORTED_ROWS)
              }
            />
          )}
        </div>
      )}
      <QueryState
        query={query}
        label={label}
        skeleton={children(undefined)}
        {...(renderError && { renderError })}
      >
        {({ result }) => children(result)}
      </QueryState>
      <Pager cursor={cursor} next={query.data?.cursor} />
    </section>
  );
}

/** Links to the newest and to older rows. The cursor is kept in the URL. */
function Pager({ cursor, next }: { cursor: string | undefined; next: string | null | undefined }) {
  const { t } = useTranslation();
  if (!cursor && !next) return null;
  const to = (target: string | undefined) => (before: object) => ({ ...before, cursor: target });
  return (
    <nav className="row spread" aria-label={t("Pagination")}>
      {cursor ? (
        <Link to="." search={to(undefined)} resetScroll={false} className="button small">
          {t("Newest")}
        </Link>
      ) : (
        <span />
      )}
      {next && (
        <Link to="." search={to(next)} resetScroll={false} className="button small">
          {t("Older")}
        </Link>
      )}
    </nav>
  );
}

/** The total number of rows. */
function RowCount({ query: { data, error } }: { query: QueryResult<{ total: number }> }) {
  const { t } = useTranslation();
  return (
    <span className="soft number">
      {data ? t("{n, number} total", { n: data.total }) : error ? "–" : <Skeleton width="5rem" />}
    </span>
  );
}

/** Reads pages until there are `max` rows. */
async function readAllPages<Row>(
  page: (cursor: string | undefined) => Promise<Page<Row>>,
  max: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { result, cursor: next } = await page(cursor);
    for (const row of result) rows.push(row);
    cursor = next || undefined;
  } while (cursor && rows.length < max);
  return rows.slice(0, max);
}

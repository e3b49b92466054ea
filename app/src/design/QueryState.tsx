import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { explain } from "../explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";
import { RelativeTime } from "./RelativeTime.tsx";
import "./QueryState.css";
import { Status } from "./Status.tsx";
import { ErrorState, SkeletonList } from "./states.tsx";

/** Where a read is: of TanStack Query, or of `useServerQuery`. */
export interface QueryResult<T> {
  data: T | undefined;
  /** Null where the last read has succeeded. */
  error: unknown;
  isFetching: boolean;
  /** In ms since 1970. */
  dataUpdatedAt: number;
  refetch(): unknown;
}

export interface QueryStateProps<T> {
  query: QueryResult<T>;
  /** What is being loaded, for screen readers: "Loading tokens". */
  label: string;
  /** Holds the place of the data; some lines by default. */
  skeleton?: ReactNode;
  /** What stands there for an error that is an answer, as "not found"; undefined for errors that are failures. */
  renderError?: (error: unknown) => ReactNode;
  children: (data: T) => ReactNode;
}

/**
 * What a read has found, or that it is on its way, or that it has failed: never one of them for another. After a failure
 * the last data stays, marked as old with its age. `children` say what stands there where there is nothing to show.
 */
export function QueryState<T>({
  query,
  label,
  skeleton,
  renderError,
  children,
}: QueryStateProps<T>): ReactNode {
  const { data, error, isFetching, refetch } = query;
  const retry = () => void refetch();
  const hasFailed = error !== null && error !== undefined;
  const replacement = hasFailed ? renderError?.(error) : undefined;
  if (replacement !== undefined) return replacement;
  if (data === undefined) {
    if (hasFailed) return <ErrorState error={error} retry={retry} busy={isFetching} />;
    return skeleton ?? <SkeletonList label={label} />;
  }
  return (
    <div className="query-state">
      <StaleNote query={query} />
      {children(data)}
    </div>
  );
}

/** That something is old, how old it is, and the way to read it again; nothing where it is not. */
export function StaleNote({ query }: { query: QueryResult<unknown> }): ReactNode {
  const { t } = useTranslation();
  const { data, error, isFetching, dataUpdatedAt, refetch } = query;
  if (data === undefined || error === null || error === undefined) return null;
  const { title, detail } = explain(error, t);
  return (
    <p className="stale-note" role="status" title={`${title}. ${detail}`}>
      <TriangleAlert size={14} aria-hidden="true" />
      <span>
        {t("Last updated")} <RelativeTime at={dataUpdatedAt} />
      </span>
      <Button small variant="quiet" busy={isFetching} onClick={() => void refetch()}>
        {t("Try again")}
      </Button>
    </p>
  );
}

/** In a line, that something beside the data of a page could not be read; nothing where it could. */
export function FailedRead({
  query,
  children,
}: {
  query: QueryResult<unknown>;
  children: ReactNode;
}): ReactNode {
  const { t } = useTranslation();
  if (query.data !== undefined || query.error === null || query.error === undefined) return null;
  return (
    <p className="row small" role="status">
      <Status kind="warning">{children}</Status>
      <Button small busy={query.isFetching} onClick={() => void query.refetch()}>
        {t("Try again")}
      </Button>
    </p>
  );
}

import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { explain } from "../errors/explain.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Button } from "./Button.tsx";
import { RelativeTime } from "./RelativeTime.tsx";
import "./QueryState.css";
import { ErrorState } from "./ErrorState.tsx";
import { SkeletonList } from "./Skeleton.tsx";
import { Status } from "./Status.tsx";

/** The state of a query, of TanStack Query or `useServerQuery`. */
export interface QueryResult<T> {
  data: T | undefined;
  /** Null if the last request succeeded. */
  error: unknown;
  isFetching: boolean;
  /** In ms since 1970. */
  dataUpdatedAt: number;
  refetch(): unknown;
}

export interface QueryStateProps<T> {
  query: QueryResult<T>;
  /** The loading label for screen readers: "Loading tokens". */
  label: string;
  /** The loading placeholder; some lines by default. */
  skeleton?: ReactNode;
  /** Renders errors that are results, such as "not found". Returns undefined for failures. */
  renderError?: (error: unknown) => ReactNode;
  children: (data: T) => ReactNode;
}

/**
 * Renders the data of a query, its loading state or its error. After a failed refetch the last data stays visible,
 * marked as stale with its age. `children` render the empty state.
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

/** Shows the age of stale data with a retry button; renders nothing if the data is current. */
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

export interface FailedReadProps {
  query: QueryResult<unknown>;
  children: ReactNode;
}

/** An inline message for a failed secondary query; renders nothing if it succeeded. */
export function FailedRead({ query, children }: FailedReadProps): ReactNode {
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

import {
  Button,
  EmptyState,
  isNotFound,
  type QueryResult,
  QueryState,
  SkeletonList,
  Tabs,
  useAction,
  useToast,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ComponentType, ReactNode } from "react";
import { isAddressText } from "./abi/addressText.ts";

export interface EntityPageProps<T> {
  heading: ReactNode;
  /** Next to the heading, on its line; null while it is unknown. */
  headingNote?: ReactNode;
  /** At the end of the line. */
  actions?: ReactNode;
  /** Between the heading and the data. */
  children?: ReactNode;
  query: QueryResult<T>;
  /** The loading label for screen readers. */
  loadingLabel: string;
  /** Lines of the loading placeholder. */
  skeletonRows?: number;
  /** What the page shows if the chain has no such entity. */
  notFound?: ReactNode;
  render: (data: T) => ReactNode;
}

/** A page of the explorer about one thing of the chain: heading, and the data or the state of its query. */
export function EntityPage<T>(props: EntityPageProps<T>) {
  const { heading, headingNote, actions, children, query, loadingLabel, skeletonRows = 4 } = props;
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        {headingNote === undefined ? (
          <h1>{heading}</h1>
        ) : (
          <div className="row">
            <h1>{heading}</h1>
            {headingNote}
          </div>
        )}
        {actions}
      </div>
      {children}
      <QueryState
        query={query}
        label={loadingLabel}
        skeleton={
          <div className="card">
            <SkeletonList rows={skeletonRows} label={loadingLabel} />
          </div>
        }
        renderError={(error) => (isNotFound(error) ? props.notFound : undefined)}
      >
        {props.render}
      </QueryState>
    </div>
  );
}

export interface InvalidEntityProps {
  heading: string;
  title: string;
  children: string;
}

/** The page of an entity whose URL is not valid. */
export function InvalidEntity({ heading, title, children }: InvalidEntityProps) {
  return (
    <>
      <h1>{heading}</h1>
      <EmptyState title={title}>{children}</EmptyState>
    </>
  );
}

export interface ValidAddressProps {
  address: string;
  heading: string;
  page: ComponentType<{ address: string }>;
}

/** Renders `page` for a valid address, which it gets in lower case. */
export function ValidAddress({ address, heading, page: Page }: ValidAddressProps) {
  const { t } = useTranslation();
  const lower = address.toLowerCase();
  if (isAddressText(address)) return <Page key={lower} address={lower} />;
  return (
    <InvalidEntity heading={heading} title={t("Invalid address")}>
      {t("Expected 0x followed by 40 hex characters.")}
    </InvalidEntity>
  );
}

export interface EntityTab {
  key: string;
  label: string;
  content: () => ReactNode;
}

/** Tabs whose selection is in the URL; the first one is the default. A new tab begins at its first page. */
export function EntityTabs({ label, tabs }: { label: string; tabs: readonly [EntityTab, ...EntityTab[]] }) {
  const { tab } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [first] = tabs;
  const shown = tabs.find(({ key }) => key === tab) ?? first;
  return (
    <Tabs
      label={label}
      tabs={tabs}
      value={shown.key}
      onChange={(key) =>
        void navigate({
          to: ".",
          search: () => ({ tab: key === first.key ? undefined : key, cursor: undefined }),
          replace: true,
          resetScroll: false,
        })
      }
    >
      {shown.content()}
    </Tabs>
  );
}

export interface RefreshButtonProps {
  label: string;
  refresh: () => Promise<unknown>;
  successMessage: string;
}

/** A button that has the server refresh what it knows; shows the outcome as a toast. */
export function RefreshButton({ label, refresh, successMessage }: RefreshButtonProps) {
  const toast = useToast();
  const { run, busy } = useAction(
    async () => {
      await refresh();
      toast(successMessage);
    },
    { errorsAs: "toast" },
  );
  return (
    <Button small busy={busy} onClick={run}>
      {label}
    </Button>
  );
}

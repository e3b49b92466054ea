import type { StudioRole } from "@purse/protocol";
import type { ReactNode } from "react";
import { Button } from "../../../design/Button.tsx";
import { type QueryResult, QueryState } from "../../../design/QueryState.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";
import "./parts.css";

export interface RoomProps {
  title: string;
  /** What the room is for, in a sentence. */
  about: ReactNode;
  actions?: ReactNode;
  /** Who may change something here; others are told that they look only. */
  changes?: StudioRole;
  children: ReactNode;
}

/** A page of the studio: its heading, what it is for, what can be done at once. */
export function Room({ title, about, actions, changes, children }: RoomProps) {
  const { t } = useTranslation();
  useRoomTitle(title);
  const isLooking = !useMay(changes ?? "readOnly");
  return (
    <div className="stack room">
      <header className="room-head">
        <div className="grow">
          <h1 tabIndex={-1}>{title}</h1>
          <p className="soft">{about}</p>
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {isLooking && changes && (
        <p className="soft small" role="note">
          {changes === "owner"
            ? t("You can look here; owners change it.")
            : t("You can look here; editors and owners change it.")}
        </p>
      )}
      {children}
    </div>
  );
}

/** A part of a room, with its heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="card stack" aria-label={title}>
      <div className="row spread">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** An answer that is on its way, failed, or there. What was shown stays while it is asked anew. */
export function Answered<T>({
  answer,
  label,
  children,
}: {
  answer: QueryResult<T>;
  label: string;
  children: (data: T) => ReactNode;
}) {
  return (
    <QueryState query={answer} label={label}>
      {children}
    </QueryState>
  );
}

/** Rows that are on their way, failed, or there, with a way to the rest of them. */
export function Rows<Row>({
  query,
  label,
  children,
}: {
  query: {
    rows: Row[] | undefined;
    error: unknown;
    isFetching: boolean;
    dataUpdatedAt: number;
    refetch(): unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
  label: string;
  children: (rows: Row[]) => ReactNode;
}) {
  const { t } = useTranslation();
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return (
    <Answered answer={{ ...query, data: rows }} label={label}>
      {(found) => (
        <>
          {children(found)}
          {hasNextPage && (
            <div className="row center">
              <Button small busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
                {t("Show more")}
              </Button>
            </div>
          )}
        </>
      )}
    </Answered>
  );
}

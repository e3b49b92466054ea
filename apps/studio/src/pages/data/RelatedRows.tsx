import type { JsonObject } from "@purse/protocol";
import { Button, QueryState, rowLabel, SkeletonList, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useClasses } from "../../components/classes.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import type { Column } from "./columns.ts";
import { relatedTo } from "./editors/RelationDialog.tsx";
import { incomingReferences } from "./incomingReferences.ts";
import type { RowPanelProps } from "./rowDialogProps.ts";

const MAX_ROWS = 5;

export interface RelatedRowsProps extends Pick<RowPanelProps, "className" | "objectId" | "as" | "onOpen"> {
  relations: readonly Column[];
  onRelation: (column: Column) => void;
}

/** Rows related by relations of this row, and rows of other classes that point to it. */
export function RelatedRows({ className, objectId, relations, as, onOpen, onRelation }: RelatedRowsProps) {
  const { t } = useTranslation();
  const classes = useClasses();
  const pointer = { __type: "Pointer", className, objectId };
  return (
    <QueryState query={classes} label={t("Loading classes…")}>
      {(loadedClasses) => renderGroups(incomingReferences(loadedClasses, className))}
    </QueryState>
  );

  function renderGroups(incoming: ReturnType<typeof incomingReferences>) {
    return (
      <div className="stack">
        {relations.map((column) => (
          <RelatedGroup
            key={column.name}
            title={column.name}
            className={column.targetClass ?? ""}
            where={relatedTo(className, objectId, column.name)}
            as={as}
            onOpen={onOpen}
            action={
              <Button small onClick={() => onRelation(column)}>
                {t("View all")}
              </Button>
            }
          />
        ))}
        {incoming.map(({ className: from, field }) => (
          <RelatedGroup
            key={`${from}.${field}`}
            title={t("{class} via {field}", { class: from, field })}
            className={from}
            where={{ [field]: pointer }}
            as={as}
            onOpen={onOpen}
            action={
              <Link
                to="/data"
                search={{ class: from, filter: [{ field, operator: "is", value: pointer }] }}
                className="button small"
              >
                {t("Open in grid")}
              </Link>
            }
          />
        ))}
        {relations.length + incoming.length === 0 && (
          <p className="soft">{t("This class has no relations, and no other class points to it.")}</p>
        )}
      </div>
    );
  }
}

interface RelatedGroupProps {
  title: string;
  className: string;
  where: JsonObject;
  as: string | undefined;
  onOpen: RowPanelProps["onOpen"];
  action: React.ReactNode;
}

function RelatedGroup({ title, className, where, as, onOpen, action }: RelatedGroupProps) {
  const { t } = useTranslation();
  const rowsQuery = useStudioQuery("/data/:className", { className, where, as, limit: MAX_ROWS });
  return (
    <section aria-label={title} className="stack tight">
      <div className="row spread">
        <h3>
          <bdi>{title}</bdi>
        </h3>
        {action}
      </div>
      <QueryState
        query={rowsQuery}
        label={t("Loading rows…")}
        skeleton={<SkeletonList rows={2} label={t("Loading rows…")} />}
      >
        {({ results, next }) => (
          <ul className="related">
            {results.map((row) => (
              <li key={String(row.objectId)}>
                <button
                  type="button"
                  className="pick grow"
                  onClick={() => onOpen(className, String(row.objectId))}
                >
                  <code>{String(row.objectId)}</code> <bdi className="cut soft">{rowLabel(row)}</bdi>
                </button>
              </li>
            ))}
            {results.length === 0 && <li className="soft small">{t("No rows")}</li>}
            {next !== undefined && <li className="soft small">{t("and more")}</li>}
          </ul>
        )}
      </QueryState>
    </section>
  );
}

import type { JsonObject, StudioPage } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { Button } from "../../../design/Button.tsx";
import { QueryState } from "../../../design/QueryState.tsx";
import { SkeletonList } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { useClasses } from "../parts/classes.ts";
import type { Column } from "./columns.ts";
import { relatedTo } from "./editors/RelationDialog.tsx";
import { incomingOf, type RowPanelProps } from "./panel.ts";
import { nameOf } from "./value.ts";

const SHOWN = 5;

/** What a row leads to by its relations, and what leads to it by pointers and relations of all classes. */
export function RelatedRows({
  className,
  objectId,
  relations,
  as,
  onOpen,
  onRelation,
}: Pick<RowPanelProps, "className" | "objectId" | "as" | "onOpen"> & {
  relations: readonly Column[];
  onRelation: (column: Column) => void;
}) {
  const { t } = useTranslation();
  const classes = useClasses();
  const pointer = { __type: "Pointer", className, objectId };
  return (
    <QueryState query={classes} label={t("Loading the classes")}>
      {(known) => groups(incomingOf(known, className))}
    </QueryState>
  );

  function groups(incoming: ReturnType<typeof incomingOf>) {
    return (
      <div className="stack">
        {relations.map((column) => (
          <Group
            key={column.name}
            title={column.name}
            className={column.targetClass ?? ""}
            where={relatedTo(className, objectId, column.name)}
            as={as}
            onOpen={onOpen}
            action={
              <Button small onClick={() => onRelation(column)}>
                {t("All of them")}
              </Button>
            }
          />
        ))}
        {incoming.map(({ className: from, field }) => (
          <Group
            key={`${from}.${field}`}
            title={t("{class} by {field}", { class: from, field })}
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
                {t("In the grid")}
              </Link>
            }
          />
        ))}
        {relations.length + incoming.length === 0 && (
          <p className="soft">{t("This class has no relation, and no class points to it.")}</p>
        )}
      </div>
    );
  }
}

function Group({
  title,
  className,
  where,
  as,
  onOpen,
  action,
}: {
  title: string;
  className: string;
  where: JsonObject;
  as: string | undefined;
  onOpen: RowPanelProps["onOpen"];
  action: React.ReactNode;
}) {
  const { t } = useTranslation();
  const query = { where, as, limit: SHOWN };
  const found = useAnswer<StudioPage<JsonObject>>(`/data/${className}`, { query });
  return (
    <section aria-label={title} className="stack tight">
      <div className="row spread">
        <h3>
          <bdi>{title}</bdi>
        </h3>
        {action}
      </div>
      <QueryState
        query={found}
        label={t("Loading the rows")}
        skeleton={<SkeletonList rows={2} label={t("Loading the rows")} />}
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
                  <code>{String(row.objectId)}</code> <bdi className="cut soft">{nameOf(row)}</bdi>
                </button>
              </li>
            ))}
            {results.length === 0 && <li className="soft small">{t("No row")}</li>}
            {next !== undefined && <li className="soft small">{t("and more")}</li>}
          </ul>
        )}
      </QueryState>
    </section>
  );
}

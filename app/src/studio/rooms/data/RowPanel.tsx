import type { JsonObject } from "@purse/protocol";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "../../../design/Button.tsx";
import { CopyButton } from "../../../design/CopyButton.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { ErrorState, SkeletonList } from "../../../design/states.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { FieldList } from "./FieldList.tsx";
import type { RowPanelProps } from "./panel.ts";
import { RelatedRows } from "./RelatedRows.tsx";
import { StepList } from "./StepList.tsx";

/** One row beside the grid: all of its fields, what it leads to and what leads to it, and what is changed and not saved. */
export function RowPanel(props: RowPanelProps) {
  const { className, objectId, columns, tab, draft, steps, as, onTab, onClose } = props;
  const { t } = useTranslation();
  const asked = useAnswer<JsonObject>(`/data/${className}/rows/${encodeURIComponent(objectId)}`, {
    query: { as },
    enabled: props.row === undefined,
  });
  const row = props.row ?? asked.data;
  const own = steps.filter((step) => step.objectId === objectId);
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={objectId}
      description={className}
      actions={
        <>
          {row && <CopyButton text={JSON.stringify(row, null, 2)} label={t("the row as JSON")} />}
          <Button small disabled={!props.onBefore} onClick={props.onBefore}>
            <ChevronLeft size={15} aria-hidden="true" />
            {t("Row before")}
          </Button>
          <Button small disabled={!props.onAfter} onClick={props.onAfter}>
            {t("Row after")}
            <ChevronRight size={15} aria-hidden="true" />
          </Button>
        </>
      }
    >
      {asked.error && !row ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : row ? (
        <Tabs
          label={t("About {id}", { id: objectId })}
          tabs={[
            { key: "fields", label: t("Fields") },
            { key: "related", label: t("Related") },
            { key: "changes", label: own.length > 0 ? `${t("Changes")} · ${own.length}` : t("Changes") },
          ]}
          value={tab}
          onChange={onTab}
        >
          {tab === "fields" ? (
            <FieldList {...props} row={row} />
          ) : tab === "related" ? (
            <RelatedRows
              className={className}
              objectId={objectId}
              relations={columns.filter(({ type }) => type === "Relation")}
              as={as}
              onOpen={props.onOpen}
              onRelation={(column) => props.onEdit(row, column)}
            />
          ) : (
            <StepList row={row} draft={draft} steps={own} onRevert={(field) => props.onRevert(row, field)} />
          )}
        </Tabs>
      ) : (
        <SkeletonList rows={8} label={t("Loading the row")} />
      )}
    </Dialog>
  );
}

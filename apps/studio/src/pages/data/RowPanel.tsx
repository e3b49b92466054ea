import { Button, CopyButton, Dialog, ErrorState, SkeletonList, Tabs, useTranslation } from "@purse/ui";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { FieldList } from "./FieldList.tsx";
import { RelatedRows } from "./RelatedRows.tsx";
import type { RowPanelProps } from "./rowDialogProps.ts";
import { StepList } from "./StepList.tsx";

/** Side panel of a row: fields, related rows and unsaved changes. */
export function RowPanel(props: RowPanelProps) {
  const { className, objectId, columns, tab, draft, steps, as, onTab, onClose } = props;
  const { t } = useTranslation();
  const rowQuery = useStudioQuery(
    "/data/:className/rows/:objectId",
    { className, objectId, as },
    { enabled: props.row === undefined },
  );
  const row = props.row ?? rowQuery.data;
  const ownSteps = steps.filter((step) => step.objectId === objectId);
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
          <Button icon={ChevronLeft} small disabled={!props.onPrevious} onClick={props.onPrevious}>
            {t("Previous row")}
          </Button>
          <Button small disabled={!props.onNext} onClick={props.onNext}>
            {t("Next row")}
            <ChevronRight size={15} aria-hidden="true" />
          </Button>
        </>
      }
    >
      {rowQuery.error && !row ? (
        <ErrorState error={rowQuery.error} retry={() => void rowQuery.refetch()} />
      ) : row ? (
        <Tabs
          label={t("Details of {id}", { id: objectId })}
          tabs={[
            { key: "fields", label: t("Fields") },
            { key: "related", label: t("Related rows") },
            {
              key: "changes",
              label: ownSteps.length > 0 ? `${t("Changes")} · ${ownSteps.length}` : t("Changes"),
            },
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
            <StepList
              row={row}
              draft={draft}
              steps={ownSteps}
              onRevert={(field) => props.onRevert(row, field)}
            />
          )}
        </Tabs>
      ) : (
        <SkeletonList rows={8} label={t("Loading row…")} />
      )}
    </Dialog>
  );
}

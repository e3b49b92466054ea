import type { JsonObject } from "@purse/protocol";
import { Button, Dialog, ErrorState, IconButton, RowPicker, rowLabel, useTranslation } from "@purse/ui";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { ListState } from "../../../components/ListState.tsx";
import { useInfiniteStudioQuery } from "../../../components/useStudioQuery.ts";
import { useHasRole, useStudio } from "../../../StudioContext.tsx";
import type { Column } from "../columns.ts";

export interface RelationDialogProps {
  className: string;
  objectId: string;
  column: Column;
  /** For a row with unsaved changes: its base `updatedAt`, so that they still apply afterwards. */
  expectedUpdatedAt: string | undefined;
  /** Called with the updated row. */
  onChanged: (row: JsonObject) => void;
  onOpen: (className: string, objectId: string) => void;
  onClose: () => void;
}

/** Edits a relation. Changes apply immediately, since a relation is not a value of its row. */
export function RelationDialog(props: RelationDialogProps) {
  const { className, objectId, column, expectedUpdatedAt, onChanged, onOpen, onClose } = props;
  const { t } = useTranslation();
  const studio = useStudio();
  const queries = useQueryClient();
  const canEdit = useHasRole("editor");
  const [isAdding, setIsAdding] = useState(false);
  const { name: key, targetClass = "" } = column;
  const where = relatedTo(className, objectId, key);
  const rows = useInfiniteStudioQuery("/data/:className", { className: targetClass, where, limit: 50 });
  const change = useMutation({
    mutationFn({ op, id }: { op: "AddRelation" | "RemoveRelation"; id: string }) {
      const objects = [{ __type: "Pointer", className: targetClass, objectId: id }];
      const fields: JsonObject = { [key]: { __op: op, objects } };
      return studio.put("/data/:className/rows/:objectId", {
        className,
        objectId,
        fields,
        expectedUpdatedAt,
      });
    },
    onSuccess(row) {
      onChanged(row);
      return queries.invalidateQueries({ queryKey: ["/data/:className", { className: targetClass, where }] });
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={key}
      description={t("{target} rows related to {id}. Changes apply immediately.", {
        target: targetClass,
        id: objectId,
      })}
    >
      <div className="stack">
        {change.error && <ErrorState error={change.error} />}
        <ListState query={rows} label={t("Loading rows…")}>
          {(found) => (
            <ul className="related" aria-label={t("Related rows")}>
              {found.map((row) => (
                <li key={String(row.objectId)}>
                  <button
                    type="button"
                    className="pick grow"
                    onClick={() => onOpen(targetClass, String(row.objectId))}
                  >
                    <code>{String(row.objectId)}</code> <bdi className="cut soft">{rowLabel(row)}</bdi>
                  </button>
                  {canEdit && (
                    <IconButton
                      icon={X}
                      label={t("Remove {id}", { id: String(row.objectId) })}
                      disabled={change.isPending}
                      onClick={() => change.mutate({ op: "RemoveRelation", id: String(row.objectId) })}
                    />
                  )}
                </li>
              ))}
              {found.length === 0 && <li className="soft">{t("No related rows")}</li>}
            </ul>
          )}
        </ListState>
        {canEdit &&
          (isAdding ? (
            <RowPicker
              className={targetClass}
              onChoose={(row) => change.mutate({ op: "AddRelation", id: String(row.objectId) })}
            />
          ) : (
            <div className="row">
              <Button small onClick={() => setIsAdding(true)}>
                {t("Add row")}
              </Button>
            </div>
          ))}
      </div>
    </Dialog>
  );
}

export function relatedTo(className: string, objectId: string, key: string): JsonObject {
  return { $relatedTo: { object: { __type: "Pointer", className, objectId }, key } };
}

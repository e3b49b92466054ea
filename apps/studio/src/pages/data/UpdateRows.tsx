import type { JsonObject, JsonValue } from "@purse/protocol";
import type { StudioBulkResult } from "@purse/server/studio-api";
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Dialog,
  Field,
  IconButton,
  Notice,
  parseValue,
  Select,
  useTranslation,
} from "@purse/ui";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { runBulk, type Target } from "./bulkChanges.ts";
import { MatchCount, useMatchCount } from "./DeleteRows.tsx";
import { toFields } from "./drafts.ts";
import { useBatches } from "./ProgressLine.tsx";
import type { RowsDialogProps } from "./rowDialogProps.ts";
import { SaveFileButton } from "./SaveFileButton.tsx";

interface FieldUpdate {
  field: string;
  text: string;
  isCleared: boolean;
}

export interface UpdateRowsProps extends RowsDialogProps {
  target: Target;
}

/** Sets the same values in many rows. */
export function UpdateRows({ className, target, columns, onDone, onClose }: UpdateRowsProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const matchCount = useMatchCount(className, target);
  const [updates, setUpdates] = useState<readonly FieldUpdate[]>([
    { field: columns[0]?.name ?? "", text: "", isCleared: false },
  ]);
  const [isSubmitted, setSubmitted] = useState(false);
  const run = useBatches(
    (fields: JsonObject, progress, signal) =>
      runBulk(studio, className, { action: "update", fields }, target, progress, signal),
    onDone,
  );
  const parsed = updates.map(({ field, text, isCleared }) => {
    const column = columns.find(({ name }) => name === field);
    if (isCleared || !column) return { value: null };
    return text === "" && column.type !== "String"
      ? { problem: t("Enter a value or clear it.") }
      : parseValue(text, column);
  });

  function submit(): void {
    setSubmitted(true);
    const changes: Record<string, JsonValue> = {};
    for (const [i, each] of parsed.entries()) {
      if (each.problem !== undefined) return;
      changes[updates[i]?.field ?? ""] = each.value;
    }
    run.mutate(toFields({ changes }));
  }

  const set = (at: number, change: Partial<FieldUpdate>) =>
    setUpdates(updates.map((each, i) => (i === at ? { ...each, ...change } : each)));
  const availableColumns = columns.filter(({ name }) => updates.every(({ field }) => field !== name));
  const { data } = run;
  if (data) return <Outcome {...{ data, onClose, className }} />;
  return (
    <ConfirmDialog
      open
      wide
      onClose={run.isPending ? run.stop : onClose}
      title={t("Update rows of {name}", { name: className })}
      description={t("Sets the same values in all selected rows. Your unsaved changes are not included.")}
      confirmLabel={t("Update rows")}
      busy={run.isPending}
      disabled={!matchCount.data || updates.length === 0}
      error={run.error}
      onConfirm={submit}
    >
      <MatchCount query={matchCount}>
        {(n) => t("{n, plural, one {# row will be updated.} other {# rows will be updated.}}", { n })}
      </MatchCount>
      {updates.map(({ field, text, isCleared }, i) => {
        const column = columns.find(({ name }) => name === field);
        return (
          <fieldset key={field} className="field-line">
            <legend className="visually-hidden">{field}</legend>
            <Select
              label={t("Field")}
              value={field}
              onChange={(to) => set(i, { field: to, text: "" })}
              options={columns
                .filter(({ name }) => name === field || availableColumns.some((each) => each.name === name))
                .map(({ name }) => ({ key: name, label: name }))}
            />
            <Field
              label={t("Value")}
              hint={column?.targetClass ?? column?.type}
              value={isCleared ? "" : text}
              disabled={isCleared}
              problem={isSubmitted ? parsed[i]?.problem : undefined}
              onText={(to) => set(i, { text: to })}
              autoComplete="off"
            />
            <Checkbox
              label={t("Clear value")}
              checked={isCleared}
              onChange={(to) => set(i, { isCleared: to })}
            />
            {updates.length > 1 && (
              <IconButton
                icon={X}
                label={t("Remove {name} from this update", { name: field })}
                onClick={() => setUpdates(updates.filter((_, at) => at !== i))}
              />
            )}
          </fieldset>
        );
      })}
      <div className="row">
        <Button
          icon={Plus}
          small
          disabled={availableColumns.length === 0}
          onClick={() =>
            setUpdates([...updates, { field: availableColumns[0]?.name ?? "", text: "", isCleared: false }])
          }
        >
          {t("Add field")}
        </Button>
      </div>
      {run.renderProgress((progress) => t("Updating: {done, number} of {all, number}", progress))}
    </ConfirmDialog>
  );
}

interface OutcomeProps {
  data: StudioBulkResult;
  className: string;
  onClose: () => void;
}

function Outcome({ data: { matched, changed, failed }, className, onClose }: OutcomeProps) {
  const { t } = useTranslation();
  const unchangedCount = matched - changed - failed.length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Rows of {name}", { name: className })}
      actions={
        <Button variant="primary" onClick={onClose}>
          {t("Done")}
        </Button>
      }
    >
      <div className="stack">
        <p role="status">
          {t("{n, plural, one {# row updated.} other {# rows updated.}}", { n: changed })}{" "}
          {unchangedCount > 0 &&
            t("{n, plural, one {# row unchanged.} other {# rows unchanged.}}", { n: unchangedCount })}
        </p>
        {failed.length > 0 && (
          <Notice
            kind="warning"
            title={t("{n, plural, one {# row was rejected} other {# rows were rejected}}", {
              n: failed.length,
            })}
            action={
              <SaveFileButton
                name={`${className}-refused.json`}
                text={JSON.stringify(failed, null, 2)}
                label={t("Download errors")}
              />
            }
          >
            <bdi>{`${failed[0]?.objectId}: ${failed[0]?.error}`}</bdi>
          </Notice>
        )}
      </div>
    </Dialog>
  );
}

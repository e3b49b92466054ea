import type { StudioClass } from "@purse/server/studio-api";
import { Button, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isSystemClass } from "../../components/classes.ts";
import { ConfirmButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";
import { useHasRole } from "../../StudioContext.tsx";
import { ClassCode } from "./ClassCode.tsx";
import { countChanges, type Draft, NO_CHANGES, toEdit } from "./classDraft.ts";
import { FieldTable } from "./FieldTable.tsx";
import { IndexTable } from "./IndexTable.tsx";

export interface ClassEditorProps {
  row: StudioClass;
  classes: readonly string[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onDeleted: () => void;
}

/** Edits a class; changes are collected, reviewed and applied together. */
export function ClassEditor({ row, classes, draft, onDraft, onDeleted }: ClassEditorProps) {
  const { t } = useTranslation();
  const { className } = row;
  const [isReviewing, setReviewing] = useState(false);
  const changeCount = countChanges(draft);
  return (
    <div className="stack">
      <div className="row spread">
        <h2>{className}</h2>
        <span className="actions">
          <Link to="/data" search={{ class: className }} className="button small">
            {t("View rows")}
          </Link>
          <Link to="/permissions" search={{ class: className }} className="button small">
            {t("Permissions")}
          </Link>
        </span>
      </div>
      {changeCount > 0 && (
        <div className="card row spread pending" role="status">
          <span>
            {t("{n, plural, one {# pending change} other {# pending changes}}", { n: changeCount })}
          </span>
          <span className="actions">
            <Button small onClick={() => onDraft(NO_CHANGES)}>
              {t("Discard")}
            </Button>
            <Button small variant="primary" onClick={() => setReviewing(true)}>
              {t("Review changes")}
            </Button>
          </span>
        </div>
      )}
      <FieldTable row={row} classes={classes} draft={draft} onDraft={onDraft} />
      <IndexTable row={row} draft={draft} onDraft={onDraft} />
      <ClassCode row={row} />
      {!isSystemClass(row) && <DangerZone className={className} onDeleted={onDeleted} />}
      {isReviewing && (
        <SchemaDiff
          className={className}
          edit={toEdit(draft)}
          successMessage={t("{name} updated", { name: className })}
          onClose={() => setReviewing(false)}
          onDone={() => {
            setReviewing(false);
            onDraft(NO_CHANGES);
          }}
        />
      )}
    </div>
  );
}

/** Irreversible actions. */
function DangerZone({ className, onDeleted }: { className: string; onDeleted: () => void }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("owner");
  return (
    <Section title={t("Danger zone")}>
      <p className="soft">
        {t(
          "Owners can delete all rows, and delete a class that is empty. This can't be undone; you can only restore a backup.",
        )}
      </p>
      <div className="row">
        <ConfirmButton
          small
          variant="danger"
          disabled={!canEdit}
          label={t("Delete all rows of {name}", { name: className })}
          confirm={{
            title: t("Delete all rows of {name}?", { name: className }),
            description: t("Triggers do not run. This can't be undone; you can only restore a backup."),
            confirmLabel: t("Delete all rows"),
            confirmationText: className,
            danger: true,
          }}
          run={(studio) => studio.delete("/schema/classes/:className/rows", { className })}
          successMessage={t("All rows of {name} deleted", { name: className })}
        />
        <ConfirmButton
          small
          variant="danger"
          disabled={!canEdit}
          label={t("Delete {name}", { name: className })}
          confirm={{
            title: t("Delete {name}?", { name: className }),
            description: t(
              "Deletes the class with its fields, indexes and permissions. The class must be empty.",
            ),
            confirmLabel: t("Delete class"),
            confirmationText: className,
            danger: true,
          }}
          run={(studio) => studio.delete("/schema/classes/:className", { className })}
          successMessage={t("{name} deleted", { name: className })}
          onDone={onDeleted}
        />
      </div>
    </Section>
  );
}

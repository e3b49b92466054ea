import { IconButton, Status, useTranslation } from "@purse/ui";
import { Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { EVERYONE, isWrite } from "./permissionMatrix.ts";
import type { Change } from "./permissionsDraft.ts";
import { useSubjects } from "./subjects.tsx";

export interface PendingChangesProps {
  changes: readonly Change[];
  roles: readonly string[] | undefined;
  actions: ReactNode;
  onUndo: (change: Change) => void;
}

/** Lists pending changes, each with an undo button. */
export function PendingChanges({ changes, roles, actions, onUndo }: PendingChangesProps) {
  const { t } = useTranslation();
  const subjectOf = useSubjects(
    changes.map(({ subject }) => subject),
    roles,
  );
  function describe(change: Change): string {
    const subject = subjectOf(change.subject).label;
    switch (change.kind) {
      case "grant":
        return change.to
          ? t("Grant {operation} to {who}", { who: subject, operation: change.operation })
          : t("Revoke {operation} from {who}", { who: subject, operation: change.operation });
      case "hidden":
        return change.to
          ? t("Hide {field} from {who}", { who: subject, field: change.field })
          : t("Show {field} to {who}", { who: subject, field: change.field });
      case "entry":
        return change.to
          ? t("Add a protected fields entry for {who}", { who: subject })
          : t("Remove the protected fields entry for {who}", { who: subject });
    }
  }
  return (
    <section className="card stack tight pending-permissions" aria-label={t("Pending changes")}>
      <div className="row spread">
        <strong role="status">
          {t("{n, plural, one {# pending change} other {# pending changes}}", { n: changes.length })}
        </strong>
        <span className="actions">{actions}</span>
      </div>
      <ul>
        {changes.map((change) => {
          const description = describe(change);
          return (
            <li key={description}>
              <span className="mark" data-kind={change.to ? "+" : "-"} aria-hidden="true">
                {change.to ? "+" : "−"}
              </span>
              <bdi className="grow">{description}</bdi>
              {grantsPublicWrite(change) && <Status kind="warning">{t("Public write access")}</Status>}
              <IconButton
                icon={Undo2}
                label={t("Undo: {change}", { change: description })}
                title={t("Undo")}
                onClick={() => onUndo(change)}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function grantsPublicWrite(change: Change): boolean {
  return change.kind === "grant" && change.to && change.subject === EVERYONE && isWrite(change.operation);
}

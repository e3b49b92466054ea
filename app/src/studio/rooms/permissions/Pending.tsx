import { Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Status } from "../../../design/Status.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Change } from "./draft.ts";
import { EVERYONE, isWrite } from "./permissions.ts";
import { useWho } from "./who.tsx";

export interface PendingProps {
  changes: readonly Change[];
  roles: readonly string[] | undefined;
  actions: ReactNode;
  onUndo: (change: Change) => void;
}

/** What is changed and not carried out yet, in words, each with a way back. */
export function Pending({ changes, roles, actions, onUndo }: PendingProps) {
  const { t, count } = useTranslation();
  const whoIs = useWho(
    changes.map(({ who }) => who),
    roles,
  );
  function words(change: Change): string {
    const who = whoIs(change.who).label;
    switch (change.kind) {
      case "grant":
        return change.to
          ? t("{who} may {operation}", { who, operation: change.operation })
          : t("{who} may no longer {operation}", { who, operation: change.operation });
      case "hidden":
        return change.to
          ? t("{field} is hidden from {who}", { who, field: change.field })
          : t("{field} is no longer hidden from {who}", { who, field: change.field });
      case "entry":
        return change.to
          ? t("{who} has an entry of protected fields", { who })
          : t("{who} has no entry of protected fields", { who });
    }
  }
  return (
    <section className="card stack tight pending-rights" aria-label={t("Changes not carried out yet")}>
      <div className="row spread">
        <strong role="status">
          {count(changes.length, "{n} change is not carried out yet", "{n} changes are not carried out yet")}
        </strong>
        <span className="actions">{actions}</span>
      </div>
      <ul>
        {changes.map((change) => {
          const said = words(change);
          return (
            <li key={said}>
              <span className="mark" data-kind={change.to ? "+" : "-"} aria-hidden="true">
                {change.to ? "+" : "−"}
              </span>
              <bdi className="grow">{said}</bdi>
              {opensWrites(change) && <Status kind="warning">{t("Open to everyone")}</Status>}
              <button
                type="button"
                className="icon-button"
                aria-label={t("Undo: {change}", { change: said })}
                title={t("Undo")}
                onClick={() => onUndo(change)}
              >
                <Undo2 size={16} aria-hidden="true" />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function opensWrites(change: Change): boolean {
  return change.kind === "grant" && change.to && change.who === EVERYONE && isWrite(change.operation);
}

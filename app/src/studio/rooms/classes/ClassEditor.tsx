import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useChange } from "../parts/asking.ts";
import { type ClassRow, isOfServer } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { SchemaDiff } from "../parts/SchemaDiff.tsx";
import { TypedAsk } from "../parts/TypedAsk.tsx";
import { ClassCode } from "./ClassCode.tsx";
import { changesIn, type Draft, editOf, NO_CHANGES } from "./draft.ts";
import { FieldTable } from "./FieldTable.tsx";
import { IndexTable } from "./IndexTable.tsx";

export interface ClassEditorProps {
  row: ClassRow;
  classes: readonly string[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onGone: () => void;
}

/** One class: changes are gathered, looked at, and carried out together. */
export function ClassEditor({ row, classes, draft, onDraft, onGone }: ClassEditorProps) {
  const { t, count } = useTranslation();
  const { className } = row;
  const [isLooking, setLooking] = useState(false);
  const n = changesIn(draft);
  return (
    <div className="stack">
      <div className="row spread">
        <h2>{className}</h2>
        <span className="actions">
          <Link to="/data" search={{ class: className }} className="button small">
            {t("Rows")}
          </Link>
          <Link to="/permissions" search={{ class: className }} className="button small">
            {t("Permissions")}
          </Link>
        </span>
      </div>
      {n > 0 && (
        <div className="card row spread pending" role="status">
          <span>{count(n, "{n} change is not carried out yet", "{n} changes are not carried out yet")}</span>
          <span className="actions">
            <Button small onClick={() => onDraft(NO_CHANGES)}>
              {t("Forget them")}
            </Button>
            <Button small variant="primary" onClick={() => setLooking(true)}>
              {t("Look at the changes")}
            </Button>
          </span>
        </div>
      )}
      <FieldTable row={row} classes={classes} draft={draft} onDraft={onDraft} />
      <IndexTable row={row} draft={draft} onDraft={onDraft} />
      <ClassCode row={row} />
      {!isOfServer(row) && <End className={className} onGone={onGone} />}
      {isLooking && (
        <SchemaDiff
          className={className}
          edit={editOf(draft)}
          said={t("{name} is changed.", { name: className })}
          onClose={() => setLooking(false)}
          onDone={() => {
            setLooking(false);
            onDraft(NO_CHANGES);
          }}
        />
      )}
    </div>
  );
}

/** What cannot be undone. */
function End({ className, onGone }: { className: string; onGone: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("owner");
  const [question, setQuestion] = useState<"empty" | "drop" | undefined>(undefined);
  const path = `/schema/classes/${encodeURIComponent(className)}`;
  const empty = useChange(() => studio.delete(`${path}/rows`), t("{name} is empty.", { name: className }));
  const drop = useChange(() => studio.delete(path), t("{name} is gone.", { name: className }));
  return (
    <Section title={t("Empty or drop")}>
      <p className="soft">
        {t(
          "Owners can delete all rows of the class, and drop a class that has none. There is no way back but a backup.",
        )}
      </p>
      <div className="row">
        <Button small variant="danger" disabled={!may} onClick={() => setQuestion("empty")}>
          {t("Empty {name}", { name: className })}
        </Button>
        <Button small variant="danger" disabled={!may} onClick={() => setQuestion("drop")}>
          {t("Drop {name}", { name: className })}
        </Button>
      </div>
      {question === "empty" && (
        <TypedAsk
          title={t("Delete all rows of {name}?", { name: className })}
          about={t("Triggers do not run. There is no way back but a backup.")}
          verb={t("Delete all rows")}
          word={className}
          busy={empty.isPending}
          error={empty.error}
          onClose={() => setQuestion(undefined)}
          onDo={() => empty.mutate(undefined, { onSuccess: () => setQuestion(undefined) })}
        />
      )}
      {question === "drop" && (
        <TypedAsk
          title={t("Drop {name}?", { name: className })}
          about={t("Its fields, indexes and permissions go. It has to be empty.")}
          verb={t("Drop it")}
          word={className}
          busy={drop.isPending}
          error={drop.error}
          onClose={() => setQuestion(undefined)}
          onDo={() => drop.mutate(undefined, { onSuccess: onGone })}
        />
      )}
    </Section>
  );
}

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { FailedRead } from "../../../design/QueryState.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { namesAbove, useRoles } from "../parts/roles.ts";
import { SchemaDiff } from "../parts/SchemaDiff.tsx";
import {
  type Change,
  carriedOut,
  changesIn,
  type Draft,
  NO_CHANGES,
  withChange,
  withoutChange,
} from "./draft.ts";
import { NewObjects } from "./NewObjects.tsx";
import { OperationMatrix } from "./OperationMatrix.tsx";
import { Pending } from "./Pending.tsx";
import { ProtectedFields } from "./ProtectedFields.tsx";

export interface ClassPermissionsProps {
  row: ClassRow;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  /** Asks the server for the class as it is now. */
  onRefresh: () => Promise<unknown>;
}

/** Who may do what with the objects of a class: changes are gathered, looked at, and carried out together. */
export function ClassPermissions({ row, draft, onDraft, onRefresh }: ClassPermissionsProps) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const { className, classLevelPermissions: known } = row;
  const roleGraph = useRoles();
  const roles = roleGraph.data;
  const [isLooking, setLooking] = useState(false);
  const [isRefreshing, setRefreshing] = useState(false);
  const changes = changesIn(known, draft);
  const next = carriedOut(known, draft);
  const names = roles?.roles.map(({ name }) => name);
  const above = roles ? namesAbove(roles) : () => [];
  const change = (...all: Change[]) => onDraft(all.reduce(withChange, draft));
  const set = may ? change : undefined;

  /** Others may have changed the class since: the draft goes over what is there now. */
  async function look() {
    setRefreshing(true);
    await onRefresh();
    setRefreshing(false);
    setLooking(true);
  }

  return (
    <div className="stack">
      <div className="row spread">
        <h2>{className}</h2>
        <span className="actions">
          <Link to="/classes" search={{ class: className }} className="button small">
            {t("Fields and indexes")}
          </Link>
          <Link to="/data" search={{ class: className }} className="button small">
            {t("Rows")}
          </Link>
        </span>
      </div>
      {changes.length > 0 && (
        <Pending
          changes={changes}
          roles={names}
          actions={
            <>
              <Button small onClick={() => onDraft(NO_CHANGES)}>
                {t("Forget them")}
              </Button>
              <Button small variant="primary" busy={isRefreshing} onClick={() => void look()}>
                {t("Look at the changes")}
              </Button>
            </>
          }
          onUndo={(each) => onDraft(withoutChange(draft, each))}
        />
      )}
      <FailedRead query={roleGraph}>
        {t("The roles could not be read: inherited rights are missing")}
      </FailedRead>
      <OperationMatrix row={row} known={known} next={next} roles={names} above={above} onChange={set} />
      <ProtectedFields row={row} known={known} next={next} roles={names} onChange={set} />
      <NewObjects permissions={known} roles={names} />
      {isLooking && (
        <SchemaDiff
          className={className}
          edit={{ classLevelPermissions: next }}
          said={t("Permissions of {name} are changed.", { name: className })}
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

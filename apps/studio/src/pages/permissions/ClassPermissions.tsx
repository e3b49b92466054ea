import type { StudioClass } from "@purse/server/studio-api";
import { Button, FailedRead, SkeletonList, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isSystemClass } from "../../components/classes.ts";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";
import { ancestorNames, useRoles } from "../../components/useRoles.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { AccessMenu } from "./AccessMenu.tsx";
import type { AccessPreset } from "./accessPresets.ts";
import { NewObjects } from "./NewObjects.tsx";
import { OperationMatrix } from "./OperationMatrix.tsx";
import { PendingChanges } from "./PendingChanges.tsx";
import { ProtectedFields } from "./ProtectedFields.tsx";
import {
  applyDraft,
  type Change,
  type Draft,
  NO_CHANGES,
  pendingChanges,
  withChange,
  withoutChange,
} from "./permissionsDraft.ts";

export interface ClassPermissionsProps {
  row: StudioClass;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  /** Reloads the class. */
  onRefresh: () => Promise<unknown>;
}

/** Edits the permissions of a class; changes are collected, reviewed and applied together. */
export function ClassPermissions({ row, draft, onDraft, onRefresh }: ClassPermissionsProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const { className, classLevelPermissions: known } = row;
  const roleGraph = useRoles();
  const roleData = roleGraph.data;
  const [isReviewing, setReviewing] = useState(false);
  const [preset, setPreset] = useState<AccessPreset>();
  const [isRefreshing, setRefreshing] = useState(false);
  const changes = pendingChanges(known, draft);
  const next = applyDraft(known, draft);
  const roleNames = roleData?.roles.map(({ name }) => name);
  const ancestors = roleData ? ancestorNames(roleData) : () => [];
  const change = (...all: Change[]) => onDraft(all.reduce(withChange, draft));
  const onChange = canEdit ? change : undefined;

  /** Reloads the class first, since others may have changed it. */
  async function review() {
    setRefreshing(true);
    await onRefresh();
    setRefreshing(false);
    setReviewing(true);
  }

  // Each role has a row in the matrix, which would move what is below.
  if (roleGraph.isPending) return <SkeletonList label={t("Loading roles…")} />;
  return (
    <div className="stack">
      <div className="row spread">
        <h2>{className}</h2>
        <span className="actions">
          {canEdit && !isSystemClass(row) && <AccessMenu onChoose={setPreset} />}
          <Link to="/classes" search={{ class: className }} className="button small">
            {t("Fields and indexes")}
          </Link>
          <Link to="/data" search={{ class: className }} className="button small">
            {t("View rows")}
          </Link>
        </span>
      </div>
      {changes.length > 0 && (
        <PendingChanges
          changes={changes}
          roles={roleNames}
          actions={
            <>
              <Button small onClick={() => onDraft(NO_CHANGES)}>
                {t("Discard")}
              </Button>
              <Button small variant="primary" busy={isRefreshing} onClick={() => void review()}>
                {t("Review changes")}
              </Button>
            </>
          }
          onUndo={(each) => onDraft(withoutChange(draft, each))}
        />
      )}
      <FailedRead query={roleGraph}>
        {t("Roles could not be loaded. Inherited permissions are not shown.")}
      </FailedRead>
      <OperationMatrix
        row={row}
        known={known}
        next={next}
        roles={roleNames}
        ancestors={ancestors}
        onChange={onChange}
      />
      <ProtectedFields row={row} known={known} next={next} roles={roleNames} onChange={onChange} />
      <NewObjects permissions={known} ownsNewObjects={row.ownsNewObjects} roles={roleNames} />
      {preset !== undefined && (
        <SchemaDiff
          className={className}
          edit={{ access: preset }}
          successMessage={t("Permissions of {name} updated", { name: className })}
          onClose={() => setPreset(undefined)}
          onDone={() => {
            setPreset(undefined);
            onDraft(NO_CHANGES);
            void onRefresh();
          }}
        />
      )}
      {isReviewing && (
        <SchemaDiff
          className={className}
          edit={{ classLevelPermissions: next }}
          successMessage={t("Permissions of {name} updated", { name: className })}
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

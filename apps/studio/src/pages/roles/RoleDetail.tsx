import type { StudioClass, StudioRoles } from "@purse/server/studio-api";
import { QueryState, useTranslation } from "@purse/ui";
import { useClasses } from "../../components/classes.ts";
import { ConfirmButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import type { Role } from "../../components/useRoles.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { ROLE } from "../permissions/permissionMatrix.ts";
import { Members } from "./Members.tsx";
import { RoleLinks } from "./RoleLinks.tsx";
import { RolePermissions } from "./RolePermissions.tsx";
import { useRoleChanges } from "./roleChanges.ts";
import { TokenGate } from "./TokenGate.tsx";

export interface RoleDetailProps {
  role: Role;
  graph: StudioRoles;
  onChoose: (name: string) => void;
}

/** Element id of the heading, target of "Go to role". */
export const HEADING_ID = "role";

/** A role with members, links, token gate and permissions. */
export function RoleDetail({ role, graph, onChoose }: RoleDetailProps) {
  const { t } = useTranslation();
  const classesQuery = useClasses();
  return (
    <div className="stack">
      <h2 id={HEADING_ID} tabIndex={-1}>
        <bdi>{role.name}</bdi>
      </h2>
      <Members role={role} graph={graph} />
      <RoleLinks role={role} graph={graph} />
      <TokenGate role={role} />
      <QueryState query={classesQuery} label={t("Loading classes…")}>
        {(classes) => (
          <>
            <RolePermissions role={role} graph={graph} classes={classes} />
            <DangerZone role={role} classes={classes} onDeleted={() => onChoose("")} />
          </>
        )}
      </QueryState>
    </div>
  );
}

interface DangerZoneProps {
  role: Role;
  classes: readonly StudioClass[];
  onDeleted: () => void;
}

/** Irreversible actions. */
function DangerZone({ role: { id, name }, classes, onDeleted }: DangerZoneProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const { remove } = useRoleChanges();
  const referencingClasses = classes.filter((row) =>
    JSON.stringify(row.classLevelPermissions).includes(`"${ROLE}${name}"`),
  );
  return (
    <Section title={t("Delete")}>
      <p className="soft">
        {t(
          "Members lose the permissions of this role. Class permissions and ACLs that reference it are not changed.",
        )}
      </p>
      <div className="row">
        <ConfirmButton
          small
          variant="danger"
          disabled={!canEdit}
          label={t("Delete {name}", { name })}
          confirm={{
            title: t("Delete {name}?", { name }),
            description:
              referencingClasses.length === 0
                ? t(
                    "No class references this role. A new role with the same name would inherit its object ACLs.",
                  )
                : t(
                    "Referenced by {classes}. A new role with the same name would inherit these permissions.",
                    { classes: referencingClasses.map(({ className }) => className).join(", ") },
                  ),
            confirmLabel: t("Delete role"),
            confirmationText: name,
            danger: true,
          }}
          run={() => remove(id)}
          successMessage={t("{name} deleted", { name })}
          onDone={onDeleted}
        />
      </div>
    </Section>
  );
}

import type { StudioRoles } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useChange } from "../parts/asking.ts";
import { type ClassRow, useClasses } from "../parts/classes.ts";
import { Answered, Section } from "../parts/Room.tsx";
import type { Role } from "../parts/roles.ts";
import { TypedAsk } from "../parts/TypedAsk.tsx";
import { ROLE } from "../permissions/permissions.ts";
import { useRoleChanges } from "./changes.ts";
import { Gate } from "./Gate.tsx";
import { Members } from "./Members.tsx";
import { Rights } from "./Rights.tsx";
import { Ties } from "./Ties.tsx";

export interface RoleDetailProps {
  role: Role;
  graph: StudioRoles;
  onChoose: (name: string) => void;
}

/** Of the heading, for those who come from the picture. */
export const HEADING = "role";

/** One role: who is in it, what it is part of, its token gate, and what it lets do. */
export function RoleDetail({ role, graph, onChoose }: RoleDetailProps) {
  const { t } = useTranslation();
  const answer = useClasses();
  return (
    <div className="stack">
      <h2 id={HEADING} tabIndex={-1}>
        <bdi>{role.name}</bdi>
      </h2>
      <Members role={role} graph={graph} />
      <Ties role={role} graph={graph} />
      <Gate role={role} />
      <Answered answer={answer} label={t("Loading the classes")}>
        {(classes) => (
          <>
            <Rights role={role} graph={graph} classes={classes} />
            <End role={role} classes={classes} onGone={() => onChoose("")} />
          </>
        )}
      </Answered>
    </div>
  );
}

/** What cannot be undone. */
function End({
  role: { id, name },
  classes,
  onGone,
}: {
  role: Role;
  classes: readonly ClassRow[];
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const [isSure, setSure] = useState(false);
  const { remove } = useRoleChanges();
  const drop = useChange(() => remove(id), t("{name} is gone.", { name }));
  const naming = classes.filter((row) =>
    JSON.stringify(row.classLevelPermissions).includes(`"${ROLE}${name}"`),
  );
  return (
    <Section title={t("Delete")}>
      <p className="soft">
        {t("Who was in it loses what it lets do. Permissions and ACLs that name it go on naming it.")}
      </p>
      <div className="row">
        <Button small variant="danger" disabled={!may} onClick={() => setSure(true)}>
          {t("Delete {name}", { name })}
        </Button>
      </div>
      {isSure && (
        <TypedAsk
          title={t("Delete {name}?", { name })}
          about={
            naming.length === 0
              ? t("No class names it. A later role of the same name gets what ACLs give to it.")
              : t("{classes} name it: a later role of the same name gets what they give to it.", {
                  classes: naming.map(({ className }) => className).join(", "),
                })
          }
          verb={t("Delete it")}
          word={name}
          busy={drop.isPending}
          error={drop.error}
          onClose={() => setSure(false)}
          onDo={() => drop.mutate(undefined, { onSuccess: onGone })}
        />
      )}
    </Section>
  );
}

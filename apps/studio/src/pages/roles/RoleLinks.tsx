import type { JsonObject } from "@purse/protocol";
import type { StudioRoles } from "@purse/server/studio-api";
import { Button, ErrorState, MutationDialog, Notice, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Combobox, prefixPattern } from "../../components/Combobox.tsx";
import { stringField } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";
import type { Role, RoleEdge } from "../../components/useRoles.ts";
import { useStudioMutation, useUndoableMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { describeCycle } from "./RoleCycles.tsx";
import { findCycle, useRoleChanges } from "./roleChanges.ts";

type Side = "above" | "below";

/** Parent and child roles of a role. */
export function RoleLinks({ role, graph }: { role: Role; graph: StudioRoles }) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState<Side | undefined>(undefined);
  return (
    <Section title={t("Inheritance")}>
      <div className="halves">
        <LinkList
          title={t("Parent roles")}
          description={t("Members of {role} inherit the permissions of these roles.", { role: role.name })}
          side="above"
          {...{ role, graph }}
          onAdd={() => setAdding("above")}
        />
        <LinkList
          title={t("Child roles")}
          description={t("Members of these roles inherit the permissions of {role}.", { role: role.name })}
          side="below"
          {...{ role, graph }}
          onAdd={() => setAdding("below")}
        />
      </div>
      {adding && <AddRoleLink {...{ role, graph }} side={adding} onClose={() => setAdding(undefined)} />}
    </Section>
  );
}

interface LinkListProps {
  title: string;
  description: string;
  side: Side;
  role: Role;
  graph: StudioRoles;
  onAdd: () => void;
}

function LinkList({ title, description, side, role, graph, onAdd }: LinkListProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const { addChild, removeChild } = useRoleChanges();
  const links = graph.edges.filter(({ parent, child }) => (side === "above" ? child : parent) === role.id);
  const nameOf = (id: string) => graph.roles.find((each) => each.id === id)?.name ?? id;
  const remove = useUndoableMutation(
    ({ parent, child }: RoleEdge) => removeChild(parent, child),
    ({ parent, child }) => addChild(parent, child),
    ({ parent, child }) =>
      t("{child} removed from {parent}", { child: nameOf(child), parent: nameOf(parent) }),
  );
  return (
    <div className="stack tight">
      <div className="row spread">
        <h3>{title}</h3>
        <Button
          small
          disabled={!canEdit}
          onClick={onAdd}
          aria-label={side === "above" ? t("Add parent role") : t("Add child role")}
        >
          {t("Add")}
        </Button>
      </div>
      <p className="soft small">{description}</p>
      {links.length === 0 && <p className="soft">{t("None")}</p>}
      <ul className="linked-roles" aria-label={title}>
        {links.map((edge) => {
          const [parent, child] = [nameOf(edge.parent), nameOf(edge.child)];
          const other = side === "above" ? parent : child;
          return (
            <li key={`${edge.parent} ${edge.child}`}>
              <Link to="/roles" search={{ role: other }} resetScroll={false}>
                <bdi>{other}</bdi>
              </Link>
              <Button
                small
                disabled={!canEdit || remove.isPending}
                aria-label={t("Remove {child} from {parent}", { child, parent })}
                onClick={() => remove.mutate(edge)}
              >
                {t("Remove")}
              </Button>
            </li>
          );
        })}
      </ul>
      {remove.error && <ErrorState error={remove.error} />}
    </div>
  );
}

interface AddRoleLinkProps {
  role: Role;
  graph: StudioRoles;
  side: Side;
  onClose: () => void;
}

/** Adds a link; links that would create a cycle are rejected. */
function AddRoleLink({ role, graph, side, onClose }: AddRoleLinkProps) {
  const { t } = useTranslation();
  const [other, setOther] = useState("");
  const { addChild } = useRoleChanges();
  const nameOf = (id: string) => graph.roles.find((each) => each.id === id)?.name ?? id;
  const edge = side === "above" ? { parent: other, child: role.id } : { parent: role.id, child: other };
  const [parent, child] = [nameOf(edge.parent), nameOf(edge.child)];
  const cycle = other === "" ? undefined : findCycle(graph.edges, edge.parent, edge.child);
  const isLinked = graph.edges.some((each) => each.parent === edge.parent && each.child === edge.child);
  const add = useStudioMutation(
    () => addChild(edge.parent, edge.child),
    t("{child} added to {parent}", { child, parent }),
  );
  return (
    <MutationDialog
      onClose={onClose}
      title={
        side === "above"
          ? t("Add {role} to a parent role", { role: role.name })
          : t("Add a child role to {role}", { role: role.name })
      }
      description={
        side === "above"
          ? t("Members of {role} inherit the permissions of the parent role.", { role: role.name })
          : t("Members of the child role inherit the permissions of {role}.", { role: role.name })
      }
      confirmLabel={t("Add")}
      mutation={add}
      disabled={other === "" || cycle !== undefined || isLinked}
    >
      <Combobox
        label={t("Role")}
        value={other}
        displayValue={other === "" ? "" : nameOf(other)}
        onChange={setOther}
        className="_Role"
        buildQuery={(text) => {
          const where: JsonObject = { name: { $regex: prefixPattern(text) } };
          return { keys: "name", order: "name", ...(text !== "" && { where }) };
        }}
        toOption={(row) => ({ key: stringField(row, "objectId"), label: stringField(row, "name") })}
      />
      {isLinked && <p className="soft">{t("These roles are already linked.")}</p>}
      {cycle && (
        <Notice kind="danger" title={t("This would create a cycle")}>
          {describeCycle(cycle.map(nameOf))}
        </Notice>
      )}
    </MutationDialog>
  );
}

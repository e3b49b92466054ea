import type { JsonObject, StudioRoles } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { Finder, startOf } from "../parts/Finder.tsx";
import { textOf } from "../parts/fields.ts";
import { Section } from "../parts/Room.tsx";
import type { Role, RoleEdge } from "../parts/roles.ts";
import { ringBy, useRoleChanges } from "./changes.ts";
import { ringInWords } from "./Rings.tsx";

type Side = "above" | "below";

/** What a role is part of, and what is part of it. */
export function Ties({ role, graph }: { role: Role; graph: StudioRoles }) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState<Side | undefined>(undefined);
  return (
    <Section title={t("Inheritance")}>
      <div className="halves">
        <List
          title={t("Part of")}
          about={t("Members of {role} have the rights of these too.", { role: role.name })}
          side="above"
          {...{ role, graph }}
          onAdd={() => setAdding("above")}
        />
        <List
          title={t("Has in it")}
          about={t("Members of these have the rights of {role} too.", { role: role.name })}
          side="below"
          {...{ role, graph }}
          onAdd={() => setAdding("below")}
        />
      </div>
      {adding && <AddTie {...{ role, graph }} side={adding} onClose={() => setAdding(undefined)} />}
    </Section>
  );
}

function List({
  title,
  about,
  side,
  role,
  graph,
  onAdd,
}: {
  title: string;
  about: string;
  side: Side;
  role: Role;
  graph: StudioRoles;
  onAdd: () => void;
}) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const toast = useToast();
  const { addChild, removeChild } = useRoleChanges();
  const back = useChange(({ parent, child }: RoleEdge) => addChild(parent, child));
  const remove = useChange(({ parent, child }: RoleEdge) => removeChild(parent, child));
  const ties = graph.edges.filter(({ parent, child }) => (side === "above" ? child : parent) === role.id);
  const nameOf = (id: string) => graph.roles.find((each) => each.id === id)?.name ?? id;
  return (
    <div className="stack tight">
      <div className="row spread">
        <h3>{title}</h3>
        <Button
          small
          disabled={!may}
          onClick={onAdd}
          aria-label={side === "above" ? t("Make it part of a role") : t("Take a role into it")}
        >
          {t("Add")}
        </Button>
      </div>
      <p className="soft small">{about}</p>
      {ties.length === 0 && <p className="soft">{t("No role.")}</p>}
      <ul className="tied" aria-label={title}>
        {ties.map((edge) => {
          const [parent, child] = [nameOf(edge.parent), nameOf(edge.child)];
          const other = side === "above" ? parent : child;
          return (
            <li key={`${edge.parent} ${edge.child}`}>
              <Link to="/roles" search={{ role: other }} resetScroll={false}>
                <bdi>{other}</bdi>
              </Link>
              <Button
                small
                disabled={!may || remove.isPending}
                aria-label={t("Take {child} out of {parent}", { child, parent })}
                onClick={() =>
                  remove.mutate(edge, {
                    onSuccess: () =>
                      toast(t("{child} is no longer part of {parent}.", { child, parent }), {
                        label: t("Undo"),
                        run: () => back.mutate(edge),
                      }),
                  })
                }
              >
                {t("Remove")}
              </Button>
            </li>
          );
        })}
      </ul>
      {(remove.error ?? back.error) && <ErrorState error={remove.error ?? back.error} />}
    </div>
  );
}

/** One more tie; those that would lead back are refused before they are made. */
function AddTie({
  role,
  graph,
  side,
  onClose,
}: {
  role: Role;
  graph: StudioRoles;
  side: Side;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [other, setOther] = useState("");
  const { addChild } = useRoleChanges();
  const nameOf = (id: string) => graph.roles.find((each) => each.id === id)?.name ?? id;
  const edge = side === "above" ? { parent: other, child: role.id } : { parent: role.id, child: other };
  const [parent, child] = [nameOf(edge.parent), nameOf(edge.child)];
  const ring = other === "" ? undefined : ringBy(graph.edges, edge.parent, edge.child);
  const isTied = graph.edges.some((each) => each.parent === edge.parent && each.child === edge.child);
  const add = useChange(
    () => addChild(edge.parent, edge.child),
    t("{child} is part of {parent}.", { child, parent }),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={
        side === "above"
          ? t("Make {role} part of another", { role: role.name })
          : t("Take a role into {role}", { role: role.name })
      }
      about={
        side === "above"
          ? t("Its members get the rights of the other role too.")
          : t("Members of the other role get the rights of {role} too.", { role: role.name })
      }
      verb={t("Add")}
      busy={add.isPending}
      error={add.error}
      disabled={other === "" || ring !== undefined || isTied}
      onDo={() => add.mutate(undefined, { onSuccess: onClose })}
    >
      <Finder
        label={t("Role")}
        value={other}
        shown={other === "" ? "" : nameOf(other)}
        onChange={setOther}
        path="/data/_Role"
        queryFor={(text) => {
          const where: JsonObject = { name: { $regex: startOf(text) } };
          return { keys: "name", order: "name", ...(text !== "" && { where }) };
        }}
        foundIn={(row) => ({ key: textOf(row, "objectId"), label: textOf(row, "name") })}
      />
      {isTied && <p className="soft">{t("It is so already.")}</p>}
      {ring && (
        <Notice kind="danger" title={t("That would lead back to itself")}>
          {ringInWords(ring.map(nameOf))}
        </Notice>
      )}
    </Ask>
  );
}

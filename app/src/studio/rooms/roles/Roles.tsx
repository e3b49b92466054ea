import type { StudioRoles } from "@purse/protocol";
import { ArrowDown, Coins, MoveUp, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { neighbours, reached, useRoles } from "../parts/roles.ts";
import { useUrl } from "../parts/useUrl.ts";
import { NewRole } from "./NewRole.tsx";
import { Rings } from "./Rings.tsx";
import { HEADING, RoleDetail } from "./RoleDetail.tsx";
import { RoleGraph } from "./RoleGraph.tsx";
import { RoleTree } from "./RoleTree.tsx";
import "./roles.css";

/** More than these are no picture any more: then it shows the role that is looked at, and what hangs together with it. */
const MOST_DRAWN = 80;

/** Roles, how they are part of each other, and who is in them. */
export function Roles() {
  const { t } = useTranslation();
  const may = useMay("editor");
  const answer = useRoles();
  const [chosen, setChosen] = useUrl("role");
  const [isAdding, setAdding] = useState(false);
  return (
    <Room
      title={t("Roles")}
      about={t("Who is in which role, and which roles are part of others.")}
      changes="editor"
      actions={
        <Button variant="primary" disabled={!may} onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("Create a role")}
        </Button>
      }
    >
      <Answered answer={answer} label={t("Loading the roles")}>
        {(graph) =>
          graph.roles.length === 0 ? (
            <EmptyState
              title={t("There is no role yet")}
              action={
                <Button disabled={!may} onClick={() => setAdding(true)}>
                  {t("Create a role")}
                </Button>
              }
            >
              {t("A role is a name for people. Permissions and ACLs name it, and it can be part of others.")}
            </EmptyState>
          ) : (
            <Workbench graph={graph} chosen={chosen} onChoose={setChosen} />
          )
        }
      </Answered>
      {isAdding && (
        <NewRole
          taken={answer.data?.roles.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
          onDone={(name) => {
            setAdding(false);
            setChosen(name);
          }}
        />
      )}
    </Room>
  );
}

function Workbench({
  graph,
  chosen,
  onChoose,
}: {
  graph: StudioRoles;
  chosen: string;
  onChoose: (name: string) => void;
}) {
  const { t } = useTranslation();
  const role = graph.roles.find(({ name }) => name === chosen);
  const shown = role ?? (chosen === "" ? graph.roles[0] : undefined);
  const drawn = useMemo(() => drawnOf(graph, shown?.id), [graph, shown?.id]);
  const inRings = useMemo(() => {
    const names = new Set(graph.cycles.flat());
    return new Set(graph.roles.flatMap(({ id, name }) => (names.has(name) ? [id] : [])));
  }, [graph]);
  const choose = (id: string) => onChoose(graph.roles.find((each) => each.id === id)?.name ?? "");
  return (
    <>
      <Rings graph={graph} />
      <Section
        title={t("How they hang together")}
        actions={
          shown && (
            <Button small onClick={goToRole}>
              <ArrowDown size={15} aria-hidden="true" />
              <bdi>{t("Go to {role}", { role: shown.name })}</bdi>
            </Button>
          )
        }
      >
        <RoleGraph graph={drawn} inRings={inRings} chosen={shown?.id} onChoose={choose} />
        <div className="legend soft small">
          <span>
            <MoveUp size={14} aria-hidden="true" />
            {t("Members of a role are members of those that its arrows lead to.")}
          </span>
          <span>
            <Coins size={14} aria-hidden="true" />
            {t("Open to who holds a token.")}
          </span>
          {drawn.roles.length < graph.roles.length && (
            <span>{t("There are too many to draw: this is the chosen one with its own.")}</span>
          )}
        </div>
      </Section>
      <div className="workbench">
        <RoleTree graph={graph} chosen={shown?.id} onChoose={choose} />
        {shown ? (
          <RoleDetail key={shown.id} role={shown} graph={graph} onChoose={onChoose} />
        ) : (
          <EmptyState title={t("There is no role of this name")}>{t("Choose one of the others.")}</EmptyState>
        )}
      </div>
    </>
  );
}

function goToRole(): void {
  const heading = document.getElementById(HEADING);
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

function drawnOf(graph: StudioRoles, chosen: string | undefined): Pick<StudioRoles, "roles" | "edges"> {
  if (graph.roles.length <= MOST_DRAWN) return graph;
  if (chosen === undefined) return { roles: [], edges: [] };
  const near = [
    chosen,
    ...reached(chosen, neighbours(graph.edges, "up")).keys(),
    ...reached(chosen, neighbours(graph.edges, "down")).keys(),
  ];
  const ids = new Set(near.slice(0, MOST_DRAWN));
  return {
    roles: graph.roles.filter(({ id }) => ids.has(id)),
    edges: graph.edges.filter(({ parent, child }) => ids.has(parent) && ids.has(child)),
  };
}

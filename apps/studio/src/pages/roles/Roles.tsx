import type { StudioRoles } from "@purse/server/studio-api";
import { Button, EmptyState, QueryState, useTranslation } from "@purse/ui";
import { ArrowDown, Coins, MoveUp, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Page, Section } from "../../components/Page.tsx";
import { adjacency, reachableFrom, useRoles } from "../../components/useRoles.ts";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { NewRole } from "./NewRole.tsx";
import { RoleCycles } from "./RoleCycles.tsx";
import { HEADING_ID, RoleDetail } from "./RoleDetail.tsx";
import { RoleGraph } from "./RoleGraph.tsx";
import { RoleTree } from "./RoleTree.tsx";
import "./roles.css";

/** With more roles, only the selected role and its relatives are drawn. */
const MAX_DRAWN_ROLES = 80;

/** Roles, their hierarchy and members. */
export function Roles() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const rolesQuery = useRoles();
  const [chosen, setChosen] = useSearchParam("role");
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={t("Roles")}
      description={t("Roles, their members and their hierarchy")}
      editRole="editor"
      actions={
        <Button icon={Plus} variant="primary" disabled={!canEdit} onClick={() => setAdding(true)}>
          {t("Create role")}
        </Button>
      }
    >
      <QueryState query={rolesQuery} label={t("Loading roles…")}>
        {(graph) =>
          graph.roles.length === 0 ? (
            <EmptyState
              title={t("No roles yet")}
              action={
                <Button disabled={!canEdit} onClick={() => setAdding(true)}>
                  {t("Create role")}
                </Button>
              }
            >
              {t("A role is a named group of users for class permissions and ACLs. Roles can be nested.")}
            </EmptyState>
          ) : (
            <Workbench graph={graph} chosen={chosen} onChoose={setChosen} />
          )
        }
      </QueryState>
      {isAdding && (
        <NewRole
          existingNames={rolesQuery.data?.roles.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
          onDone={(name) => {
            setAdding(false);
            setChosen(name);
          }}
        />
      )}
    </Page>
  );
}

interface WorkbenchProps {
  graph: StudioRoles;
  chosen: string;
  onChoose: (name: string) => void;
}

function Workbench({ graph, chosen, onChoose }: WorkbenchProps) {
  const { t } = useTranslation();
  const role = graph.roles.find(({ name }) => name === chosen);
  const shown = role ?? (chosen === "" ? graph.roles[0] : undefined);
  const visibleGraph = useMemo(() => visibleGraphOf(graph, shown?.id), [graph, shown?.id]);
  const cycleIds = useMemo(() => {
    const names = new Set(graph.cycles.flat());
    return new Set(graph.roles.flatMap(({ id, name }) => (names.has(name) ? [id] : [])));
  }, [graph]);
  const choose = (id: string) => onChoose(graph.roles.find((each) => each.id === id)?.name ?? "");
  return (
    <>
      <RoleCycles graph={graph} />
      <Section
        title={t("Role hierarchy")}
        actions={
          shown && (
            <Button icon={ArrowDown} small onClick={goToRole}>
              <bdi>{t("Go to {role}", { role: shown.name })}</bdi>
            </Button>
          )
        }
      >
        <RoleGraph graph={visibleGraph} cycleIds={cycleIds} chosen={shown?.id} onChoose={choose} />
        <div className="legend soft small">
          <span>
            <MoveUp size={14} aria-hidden="true" />
            {t("Arrows point to the roles whose permissions are inherited.")}
          </span>
          <span>
            <Coins size={14} aria-hidden="true" />
            {t("Token-gated")}
          </span>
          {visibleGraph.roles.length < graph.roles.length && (
            <span>{t("Too many roles to draw. Showing the selected role and its relatives.")}</span>
          )}
        </div>
      </Section>
      <div className="workbench">
        <RoleTree graph={graph} chosen={shown?.id} onChoose={choose} />
        {shown ? (
          <RoleDetail key={shown.id} role={shown} graph={graph} onChoose={onChoose} />
        ) : (
          <EmptyState title={t("Role not found")}>{t("Select another one from the list.")}</EmptyState>
        )}
      </div>
    </>
  );
}

function goToRole(): void {
  const heading = document.getElementById(HEADING_ID);
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

function visibleGraphOf(
  graph: StudioRoles,
  chosen: string | undefined,
): Pick<StudioRoles, "roles" | "edges"> {
  if (graph.roles.length <= MAX_DRAWN_ROLES) return graph;
  if (chosen === undefined) return { roles: [], edges: [] };
  const nearbyIds = [
    chosen,
    ...reachableFrom(chosen, adjacency(graph.edges, "up")).keys(),
    ...reachableFrom(chosen, adjacency(graph.edges, "down")).keys(),
  ];
  const ids = new Set(nearbyIds.slice(0, MAX_DRAWN_ROLES));
  return {
    roles: graph.roles.filter(({ id }) => ids.has(id)),
    edges: graph.edges.filter(({ parent, child }) => ids.has(parent) && ids.has(child)),
  };
}

import type { StudioRoles } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";
import { Coins, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { adjacency } from "../../components/useRoles.ts";
import { layoutOf, NODE } from "./roleGraphLayout.ts";
import "./RoleGraph.css";

export interface RoleGraphProps {
  graph: Pick<StudioRoles, "roles" | "edges">;
  /** Ids of roles that are part of a cycle. */
  cycleIds: ReadonlySet<string>;
  /** Id of the selected role. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** The role graph, parents at the top. Arrow keys move along links and within a layer, Enter selects. */
export function RoleGraph({ graph, cycleIds, chosen, onChoose }: RoleGraphProps) {
  const { t } = useTranslation();
  const id = useId();
  const svg = useRef<SVGSVGElement>(null);
  const { roles, edges } = graph;
  const layout = useMemo(
    () =>
      layoutOf(
        roles.map((role) => role.id),
        edges,
      ),
    [roles, edges],
  );
  const parents = useMemo(() => adjacency(edges, "up"), [edges]);
  const children = useMemo(() => adjacency(edges, "down"), [edges]);
  const byId = new Map(roles.map((role) => [role.id, role]));
  const positions = new Map(layout.nodes.map((node) => [node.id, node]));
  const chosenPosition = chosen === undefined ? undefined : positions.get(chosen);
  const [chosenX, chosenY] = [chosenPosition?.x, chosenPosition?.y];
  // Scrolls the selected role into view.
  useEffect(() => {
    const frame = svg.current?.parentElement;
    if (!frame || chosenX === undefined || chosenY === undefined) return;
    frame.scrollTo({ left: chosenX - frame.clientWidth / 2, top: chosenY - frame.clientHeight / 2 });
  }, [chosenX, chosenY]);
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const tabbableId = [focused, chosen, layout.nodes[0]?.id].find(
    (each) => each !== undefined && positions.has(each),
  );

  function keyDown(event: KeyboardEvent): void {
    const current = tabbableId === undefined ? undefined : positions.get(tabbableId);
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return;
    const sibling = (step: 1 | -1) =>
      layout.nodes
        .filter(({ y, x }) => y === current.y && Math.sign(x - current.x) === step)
        .toSorted((a, b) => step * (a.x - b.x))[0]?.id;
    const nearest = (ids: readonly string[] | undefined, step: 1 | -1) =>
      (ids ?? [])
        .flatMap((each) => positions.get(each) ?? [])
        .toSorted((a, b) => Math.abs(a.x - current.x) - Math.abs(b.x - current.x))[0]?.id ??
      // Without a link, take the nearest role above or below.
      layout.nodes
        .filter(({ y }) => Math.sign(y - current.y) === step)
        .toSorted((a, b) => step * (a.y - b.y) || Math.abs(a.x - current.x) - Math.abs(b.x - current.x))[0]
        ?.id;
    const moves: Record<string, () => string | undefined> = {
      ArrowUp: () => nearest(parents.get(current.id), -1),
      ArrowDown: () => nearest(children.get(current.id), 1),
      ArrowLeft: () => sibling(-1),
      ArrowRight: () => sibling(1),
      Home: () => layout.nodes[0]?.id,
      End: () => layout.nodes.at(-1)?.id,
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const to = move();
    if (to === undefined) return;
    setFocused(to);
    svg.current?.querySelector<HTMLElement>(`[data-role="${CSS.escape(to)}"]`)?.focus();
  }

  const namesOf = (ids: readonly string[] | undefined) =>
    (ids ?? []).flatMap((each) => byId.get(each)?.name ?? []).join(", ");

  return (
    <div className="graph-scroll">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of buttons, drawn. */}
      <svg
        ref={svg}
        role="group"
        aria-label={t("Role graph, parent roles at the top")}
        className="graph"
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        onKeyDown={keyDown}
      >
        <defs>
          {(["plain", "cycle", "near"] as const).map((kind) => (
            <marker
              key={kind}
              id={`${id}-${kind}`}
              className={`graph-tip ${kind}`}
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="8"
              markerHeight="8"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path d="M 0 0 L 10 5 L 0 10 z" />
            </marker>
          ))}
        </defs>
        <g>
          {layout.edges.map(({ parent, child, path, isInCycle }) => {
            const isAdjacent = parent === chosen || child === chosen;
            const kind = isInCycle ? "cycle" : isAdjacent ? "near" : "plain";
            return (
              <path
                key={`${parent} ${child}`}
                className={`graph-edge ${kind}`}
                d={path}
                markerEnd={`url(#${id}-${kind})`}
              />
            );
          })}
        </g>
        {layout.nodes.map((node) => {
          const role = byId.get(node.id);
          if (!role) return null;
          const [parentNames, childNames] = [namesOf(parents.get(node.id)), namesOf(children.get(node.id))];
          const isInCycle = cycleIds.has(node.id);
          const name = [
            role.name,
            parentNames && t("child of {roles}", { roles: parentNames }),
            childNames && t("parent of {roles}", { roles: childNames }),
            role.gate && t("with a token gate"),
            isInCycle && t("part of a cycle"),
          ]
            .filter(Boolean)
            .join(", ");
          return (
            <foreignObject
              key={node.id}
              x={node.x - NODE.width / 2}
              y={node.y - NODE.height / 2}
              width={NODE.width}
              height={NODE.height}
            >
              <button
                type="button"
                className="graph-node"
                data-role={node.id}
                data-cycle={isInCycle || undefined}
                aria-pressed={node.id === chosen}
                aria-label={name}
                title={role.name}
                tabIndex={node.id === tabbableId ? 0 : -1}
                onFocus={() => setFocused(node.id)}
                onClick={() => onChoose(node.id)}
              >
                {isInCycle && <TriangleAlert size={15} aria-hidden="true" />}
                <bdi className="clip">{role.name}</bdi>
                {role.gate && <Coins size={15} className="gate" aria-hidden="true" />}
              </button>
            </foreignObject>
          );
        })}
      </svg>
    </div>
  );
}

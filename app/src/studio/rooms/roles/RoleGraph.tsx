import type { StudioRoles } from "@purse/protocol";
import { Coins, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { neighbours } from "../parts/roles.ts";
import { layoutOf, NODE } from "./layout.ts";
import "./RoleGraph.css";

export interface RoleGraphProps {
  graph: Pick<StudioRoles, "roles" | "edges">;
  /** Ids of roles that lead back to themselves. */
  inRings: ReadonlySet<string>;
  /** The id of the role that is looked at. */
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** Roles as a picture: parents above. Arrow keys go along the lines and from side to side, Enter looks at a role. */
export function RoleGraph({ graph, inRings, chosen, onChoose }: RoleGraphProps) {
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
  const up = useMemo(() => neighbours(edges, "up"), [edges]);
  const down = useMemo(() => neighbours(edges, "down"), [edges]);
  const byId = new Map(roles.map((role) => [role.id, role]));
  const places = new Map(layout.nodes.map((node) => [node.id, node]));
  const chosenAt = chosen === undefined ? undefined : places.get(chosen);
  const [middle, layer] = [chosenAt?.x, chosenAt?.y];
  // What is looked at is in sight, also where the picture is wider than the window.
  useEffect(() => {
    const frame = svg.current?.parentElement;
    if (!frame || middle === undefined || layer === undefined) return;
    frame.scrollTo({ left: middle - frame.clientWidth / 2, top: layer - frame.clientHeight / 2 });
  }, [middle, layer]);
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const tabbed = [focused, chosen, layout.nodes[0]?.id].find(
    (each) => each !== undefined && places.has(each),
  );

  function keyDown(event: KeyboardEvent): void {
    const at = tabbed === undefined ? undefined : places.get(tabbed);
    if (!at || event.altKey || event.ctrlKey || event.metaKey) return;
    const beside = (step: 1 | -1) =>
      layout.nodes
        .filter(({ y, x }) => y === at.y && Math.sign(x - at.x) === step)
        .toSorted((a, b) => step * (a.x - b.x))[0]?.id;
    const nearest = (ids: readonly string[] | undefined, step: 1 | -1) =>
      (ids ?? [])
        .flatMap((each) => places.get(each) ?? [])
        .toSorted((a, b) => Math.abs(a.x - at.x) - Math.abs(b.x - at.x))[0]?.id ??
      // Off the lines there is still somebody above or below.
      layout.nodes
        .filter(({ y }) => Math.sign(y - at.y) === step)
        .toSorted((a, b) => step * (a.y - b.y) || Math.abs(a.x - at.x) - Math.abs(b.x - at.x))[0]?.id;
    const moves: Record<string, () => string | undefined> = {
      ArrowUp: () => nearest(up.get(at.id), -1),
      ArrowDown: () => nearest(down.get(at.id), 1),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
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
        aria-label={t("Graph of the roles: parents stand above")}
        className="graph"
        width={layout.width}
        height={layout.height}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        onKeyDown={keyDown}
      >
        <defs>
          {(["plain", "ring", "near"] as const).map((kind) => (
            <marker
              key={kind}
              id={`${id}-${kind}`}
              className={`graph-tip ${kind}`}
              viewBox="0 0 10 10"
              refX="2"
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
          {layout.edges.map(({ parent, child, path, isRing }) => {
            const isNear = parent === chosen || child === chosen;
            const kind = isRing ? "ring" : isNear ? "near" : "plain";
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
          const [above, below] = [namesOf(up.get(node.id)), namesOf(down.get(node.id))];
          const isInRing = inRings.has(node.id);
          const name = [
            role.name,
            above && t("part of {roles}", { roles: above }),
            below && t("with {roles} in it", { roles: below }),
            role.gate && t("with a token gate"),
            isInRing && t("in a ring"),
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
                data-ring={isInRing || undefined}
                aria-pressed={node.id === chosen}
                aria-label={name}
                title={role.name}
                tabIndex={node.id === tabbed ? 0 : -1}
                onFocus={() => setFocused(node.id)}
                onClick={() => onChoose(node.id)}
              >
                {isInRing && <TriangleAlert size={15} aria-hidden="true" />}
                <bdi>{role.name}</bdi>
                {role.gate && <Coins size={15} className="gate" aria-hidden="true" />}
              </button>
            </foreignObject>
          );
        })}
      </svg>
    </div>
  );
}

import type { StudioRoles } from "@purse/protocol";
import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { neighbours, type Role, reached } from "../parts/roles.ts";

/** Lines of a list that are shown at once. */
const MOST = 300;

export interface RoleTreeProps {
  graph: Pick<StudioRoles, "roles" | "edges">;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

interface Branch {
  role: Role;
  /** Where it stands, as ids from the top: a role stands under each of its parents. */
  path: string;
  children: Branch[];
}

/** The same roles as a list: under each those that are part of it. Typing finds them by their names. */
export function RoleTree({ graph, chosen, onChoose }: RoleTreeProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const words = text.trim().toLowerCase();
  const found = graph.roles.filter(({ name }) => name.toLowerCase().includes(words));
  const branches =
    words === ""
      ? treeOf(graph)
      : found.slice(0, MOST).map((role) => ({ role, path: role.id, children: [] }));
  return (
    <nav className="card" aria-label={t("Roles")}>
      <Field
        label={t("Find a role")}
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Branches branches={branches} chosen={chosen} onChoose={onChoose} />
      {found.length === 0 && <p className="soft">{t("No role is called that.")}</p>}
    </nav>
  );
}

function Branches({
  branches,
  chosen,
  onChoose,
}: {
  branches: readonly Branch[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  if (branches.length === 0) return null;
  return (
    <ul className="role-tree">
      {branches.map(({ role, path, children }) => (
        <li key={path}>
          <button
            type="button"
            className="pick"
            aria-current={role.id === chosen ? "true" : undefined}
            onClick={() => onChoose(role.id)}
          >
            <bdi>{role.name}</bdi>
          </button>
          <Branches branches={children} chosen={chosen} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  );
}

/** From those that are part of none down; a ring begins with its first role and ends before it comes again. */
function treeOf({ roles, edges }: Pick<StudioRoles, "roles" | "edges">): Branch[] {
  const down = neighbours(edges, "down");
  const hasParent = new Set(edges.map(({ child }) => child));
  const byId = new Map(roles.map((role) => [role.id, role]));
  let left = MOST;
  const branch = (role: Role, above: readonly string[]): Branch => {
    left -= 1;
    const path = [...above, role.id];
    const children = (down.get(role.id) ?? []).flatMap((id) => {
      const child = byId.get(id);
      return child && !path.includes(id) && left > 0 ? [branch(child, path)] : [];
    });
    return {
      role,
      path: path.join(),
      children: children.toSorted((a, b) => a.role.name.localeCompare(b.role.name)),
    };
  };
  const tops = roles.filter(({ id }) => !hasParent.has(id));
  const seen = new Set(tops.flatMap(({ id }) => [id, ...reached(id, down).keys()]));
  const trees = tops.flatMap((role) => (left > 0 ? [branch(role, [])] : []));
  for (const role of roles) {
    if (seen.has(role.id) || left <= 0) continue;
    for (const id of [role.id, ...reached(role.id, down).keys()]) seen.add(id);
    trees.push(branch(role, []));
  }
  return trees;
}

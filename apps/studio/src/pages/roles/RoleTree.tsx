import type { StudioRoles } from "@purse/server/studio-api";
import { Field, useTranslation } from "@purse/ui";
import { useState } from "react";
import { adjacency, type Role, reachableFrom } from "../../components/useRoles.ts";

/** Maximum number of rows shown. */
const MAX_ROWS = 300;

export interface RoleTreeProps {
  graph: Pick<StudioRoles, "roles" | "edges">;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

interface Branch {
  role: Role;
  /** Path of role ids from the root; a role appears under each of its parents. */
  path: string;
  children: Branch[];
}

/** Roles as a searchable tree. */
export function RoleTree({ graph, chosen, onChoose }: RoleTreeProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const searchText = text.trim().toLowerCase();
  const matches = graph.roles.filter(({ name }) => name.toLowerCase().includes(searchText));
  const branches =
    searchText === ""
      ? buildTree(graph)
      : matches.slice(0, MAX_ROWS).map((role) => ({ role, path: role.id, children: [] }));
  return (
    <nav className="card" aria-label={t("Roles")}>
      <Field label={t("Search roles")} type="search" value={text} onText={setText} />
      <Branches branches={branches} chosen={chosen} onChoose={onChoose} />
      {matches.length === 0 && <p className="soft">{t("No matching roles")}</p>}
    </nav>
  );
}

interface BranchesProps {
  branches: readonly Branch[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

function Branches({ branches, chosen, onChoose }: BranchesProps) {
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
            <bdi className="clip">{role.name}</bdi>
          </button>
          <Branches branches={children} chosen={chosen} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  );
}

/** Builds trees from the root roles; a cycle starts at its first role and stops before repeating. */
function buildTree({ roles, edges }: Pick<StudioRoles, "roles" | "edges">): Branch[] {
  const childIds = adjacency(edges, "down");
  const hasParent = new Set(edges.map(({ child }) => child));
  const byId = new Map(roles.map((role) => [role.id, role]));
  let remaining = MAX_ROWS;
  const branch = (role: Role, ancestors: readonly string[]): Branch => {
    remaining -= 1;
    const path = [...ancestors, role.id];
    const children = (childIds.get(role.id) ?? []).flatMap((id) => {
      const child = byId.get(id);
      return child && !path.includes(id) && remaining > 0 ? [branch(child, path)] : [];
    });
    return {
      role,
      path: path.join(),
      children: children.toSorted((a, b) => a.role.name.localeCompare(b.role.name)),
    };
  };
  const roots = roles.filter(({ id }) => !hasParent.has(id));
  const seen = new Set(roots.flatMap(({ id }) => [id, ...reachableFrom(id, childIds).keys()]));
  const trees = roots.flatMap((role) => (remaining > 0 ? [branch(role, [])] : []));
  for (const role of roles) {
    if (seen.has(role.id) || remaining <= 0) continue;
    for (const id of [role.id, ...reachableFrom(role.id, childIds).keys()]) seen.add(id);
    trees.push(branch(role, []));
  }
  return trees;
}

import type { StudioClass, StudioRoles } from "@purse/server/studio-api";
import { EmptyState, Table, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Section } from "../../components/Page.tsx";
import { ancestorNames, type Role } from "../../components/useRoles.ts";
import { EVERYONE, isGranted, OPERATIONS, ROLE } from "../permissions/permissionMatrix.ts";

export interface RolePermissionsProps {
  role: Role;
  graph: StudioRoles;
  classes: readonly StudioClass[];
}

/** Class permissions of a role, own and inherited, without public ones. */
export function RolePermissions({ role, graph, classes }: RolePermissionsProps) {
  const { t } = useTranslation();
  const roles = [role.name, ...ancestorNames(graph)(role.name)];
  const rows = classes.flatMap(({ className, classLevelPermissions }) =>
    roles.flatMap((name) => {
      const operations = OPERATIONS.filter(
        (operation) =>
          isGranted(classLevelPermissions, operation, ROLE + name) &&
          !isGranted(classLevelPermissions, operation, EVERYONE),
      );
      return operations.length > 0 ? [{ className, name, operations }] : [];
    }),
  );
  return (
    <Section title={t("Class permissions")}>
      <Table
        caption={t("Class permissions")}
        rows={rows}
        rowKey={({ className, name }) => `${className} ${name}`}
        empty={
          <EmptyState title={t("No class permissions")}>
            {t("Public permissions and object ACLs still apply.")}
          </EmptyState>
        }
        columns={[
          {
            label: t("Class"),
            cell: ({ className }) => (
              <Link to="/permissions" search={{ show: "class", class: className }}>
                {className}
              </Link>
            ),
          },
          { label: t("Operations"), cell: ({ operations }) => operations.join(", ") },
          { label: t("By"), cell: ({ name }) => (name === role.name ? t("directly") : <bdi>{name}</bdi>) },
        ]}
      />
    </Section>
  );
}

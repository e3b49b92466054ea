import type { StudioRoles } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { namesAbove, type Role } from "../parts/roles.ts";
import { EVERYONE, isGranted, OPERATIONS, ROLE } from "../permissions/permissions.ts";

/** What classes let a role do, by itself and by what it is part of; what everyone may is left out. */
export function Rights({
  role,
  graph,
  classes,
}: {
  role: Role;
  graph: StudioRoles;
  classes: readonly ClassRow[];
}) {
  const { t } = useTranslation();
  const roles = [role.name, ...namesAbove(graph)(role.name)];
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
    <Section title={t("What classes let it do")}>
      <Table
        caption={t("What classes let it do")}
        rows={rows}
        rowKey={({ className, name }) => `${className} ${name}`}
        empty={
          <EmptyState title={t("No class names it")}>
            {t("It may do what everyone may, and what ACLs of objects give to it.")}
          </EmptyState>
        }
        columns={[
          {
            key: "class",
            label: t("Class"),
            cell: ({ className }) => (
              <Link to="/permissions" search={{ show: "class", class: className }}>
                {className}
              </Link>
            ),
          },
          { key: "may", label: t("May"), cell: ({ operations }) => operations.join(", ") },
          {
            key: "by",
            label: t("By"),
            cell: ({ name }) => (name === role.name ? t("itself") : <bdi>{name}</bdi>),
          },
        ]}
      />
    </Section>
  );
}

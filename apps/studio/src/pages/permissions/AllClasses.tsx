import type { JsonObject } from "@purse/protocol";
import type { StudioClass } from "@purse/server/studio-api";
import { EmptyState, FailedRead, Field, Select, Status, Table, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { isSystemClass } from "../../components/classes.ts";
import { Section } from "../../components/Page.tsx";
import { ancestorNames, useRoles } from "../../components/useRoles.ts";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { EffectBadge } from "./EffectBadge.tsx";
import {
  EVERYONE,
  effectOf,
  inheritedFrom,
  isGranted,
  isWrite,
  OPERATIONS,
  type Operation,
  ROLE,
  SIGNED_IN,
} from "./permissionMatrix.ts";

const ANYONE = "anybody";
/** Clients cannot use internal classes, regardless of their permissions. */
const NOBODY = { kind: "nobody" } as const;

/** The permissions of all classes, in general or for one subject. */
export function AllClasses({ classes }: { classes: readonly StudioClass[] }) {
  const { t } = useTranslation();
  const roleGraph = useRoles();
  const roles = roleGraph.data;
  const [subject, setSubject] = useSearchParam("who");
  const [text, setText] = useSearchParam("find");
  const ancestors = roles ? ancestorNames(roles) : () => [];
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const applicationClasses = classes.filter((row) => !isSystemClass(row));
  const writable = applicationClasses.filter(({ classLevelPermissions }) =>
    OPERATIONS.some(
      (operation) => isWrite(operation) && effectOf(classLevelPermissions, operation).kind === "everyone",
    ),
  );
  const countOf = (kind: "everyone" | "nobody") =>
    applicationClasses.filter(({ classLevelPermissions }) =>
      OPERATIONS.every((operation) => effectOf(classLevelPermissions, operation).kind === kind),
    ).length;
  return (
    <>
      <dl className="tiles">
        <div className="tile">
          <dt>{t("Fully public")}</dt>
          <dd>{t("{n, plural, one {# class} other {# classes}}", { n: countOf("everyone") })}</dd>
        </div>
        <div className="tile">
          <dt>{t("Publicly writable")}</dt>
          <dd>{t("{n, plural, one {# class} other {# classes}}", { n: writable.length })}</dd>
        </div>
        <div className="tile">
          <dt>{t("Master key only")}</dt>
          <dd>{t("{n, plural, one {# class} other {# classes}}", { n: countOf("nobody") })}</dd>
        </div>
      </dl>
      <Section title={t("Your classes")}>
        <div className="filters view-for">
          <div className="field grow">
            <Field label={t("Search classes")} type="search" value={text} onText={setText} />
          </div>
          <Select
            label={t("View for")}
            value={subject === "" ? ANYONE : subject}
            onChange={(key) => setSubject(key === ANYONE ? "" : key)}
            options={[
              { key: ANYONE, label: t("All subjects") },
              { key: EVERYONE, label: t("Anonymous users") },
              { key: SIGNED_IN, label: t("Authenticated users") },
              ...(roles?.roles ?? []).map(({ name }) => ({
                key: ROLE + name,
                label: t("Members of {name}", { name }),
              })),
            ]}
          />
        </div>
        <FailedRead query={roleGraph}>
          {t("Roles could not be loaded. Inherited permissions are not shown.")}
        </FailedRead>
        <PermissionTable
          caption={t("Your classes")}
          rows={shown.filter((row) => !isSystemClass(row))}
          subject={subject}
          ancestors={ancestors}
        />
        <p className="soft small">
          {t("Object ACLs still apply. The master key bypasses all permission checks.")}
        </p>
      </Section>
      <Section title={t("System classes")}>
        <p className="soft">
          {t(
            "System classes also have built-in rules that permissions can't override, such as who can see a session.",
          )}
        </p>
        {subject === "" ? (
          <PermissionTable
            caption={t("System classes")}
            rows={shown.filter(isSystemClass)}
            subject={subject}
            ancestors={ancestors}
          />
        ) : (
          <p>
            <Link to="/permissions" search={{ show: "question", class: "_User" }}>
              {t("Check access for a user and an object")}
            </Link>
          </p>
        )}
      </Section>
    </>
  );
}

interface PermissionTableProps {
  caption: string;
  rows: readonly StudioClass[];
  subject: string;
  ancestors: (role: string) => readonly string[];
}

function PermissionTable({ caption, rows, subject, ancestors }: PermissionTableProps) {
  const { t } = useTranslation();
  return (
    <div className="permission-table">
      <Table
        caption={caption}
        rows={rows}
        rowKey={({ className }) => className}
        empty={<EmptyState title={t("No matching classes")} />}
        columns={[
          {
            label: t("Class"),
            cell: ({ className }) => (
              <Link to="/permissions" search={{ show: "class", class: className }}>
                {className}
              </Link>
            ),
          },
          ...OPERATIONS.map((operation) => ({
            key: operation,
            label: operation,
            cell: ({ className, classLevelPermissions, isInternal }: StudioClass) =>
              subject === "" ? (
                <EffectBadge
                  effect={isInternal ? NOBODY : effectOf(classLevelPermissions, operation)}
                  hasOwnRules={className.startsWith("_")}
                />
              ) : (
                <AccessCell {...{ permissions: classLevelPermissions, operation, subject, ancestors }} />
              ),
          })),
        ]}
      />
    </div>
  );
}

interface AccessCellProps {
  permissions: JsonObject;
  operation: Operation;
  subject: string;
  ancestors: (role: string) => readonly string[];
}

/** Whether the selected subject may use an operation of a class. */
function AccessCell({ permissions, operation, subject, ancestors }: AccessCellProps) {
  const { t } = useTranslation();
  const effect = effectOf(permissions, operation);
  const isAllowed =
    effect.kind === "everyone" ||
    (effect.kind === "signedIn" && subject !== EVERYONE) ||
    (subject.startsWith(ROLE) &&
      (isGranted(permissions, operation, subject) ||
        inheritedFrom(permissions, operation, subject, ancestors) !== undefined));
  if (isAllowed) return <Status kind="ok">{t("Yes")}</Status>;
  if (effect.kind === "some" && effect.fields.length > 0 && subject !== EVERYONE) {
    return <Status kind="warning">{t("Own objects")}</Status>;
  }
  return <Status kind="idle">{t("No")}</Status>;
}

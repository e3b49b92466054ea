import type { JsonObject } from "@purse/protocol";
import type { StudioClass } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { DialogButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { AddSubject } from "./AddSubject.tsx";
import { EffectBadge } from "./EffectBadge.tsx";
import { Matrix, type MatrixLine } from "./Matrix.tsx";
import {
  effectOf,
  FIELD,
  inheritedFrom,
  isGranted,
  isPossible,
  namedSubjects,
  OPERATIONS,
  type Operation,
  pointerFields,
  ROLE,
} from "./permissionMatrix.ts";
import type { Change } from "./permissionsDraft.ts";
import { SubjectHeading, useSubjects } from "./subjects.tsx";

/** Up to this number, all roles are listed by default. */
const MAX_DEFAULT_ROLES = 12;

export interface OperationMatrixProps {
  row: StudioClass;
  known: JsonObject;
  /** The permissions with the draft applied. */
  next: JsonObject;
  roles: readonly string[] | undefined;
  ancestors: (role: string) => readonly string[];
  /** Undefined when read-only. */
  onChange: ((...changes: Change[]) => void) | undefined;
}

/** Matrix of subjects (everyone, authenticated users, roles, users, pointer fields) and operations. */
export function OperationMatrix({ row, known, next, roles, ancestors, onChange }: OperationMatrixProps) {
  const { t } = useTranslation();
  const [added, setAdded] = useState<readonly string[]>([]);
  const fields = pointerFields(row.fields).map((field) => FIELD + field);
  const defaultRoles = roles && roles.length <= MAX_DEFAULT_ROLES ? roles.map((name) => ROLE + name) : [];
  const keys = [
    ...new Set([...namedSubjects(known), ...namedSubjects(next), ...defaultRoles, ...fields, ...added]),
  ].toSorted(
    // Sorted by kind and name, so that rows keep their order while edited.
    (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  );
  const subjectOf = useSubjects(keys, roles);
  const lines = keys.map((key): MatrixLine => {
    const subject = subjectOf(key);
    return { key, label: subject.label, heading: <SubjectHeading subject={subject} /> };
  });
  const columns = OPERATIONS.map((key): MatrixLine => ({ key, label: key }));
  const operationOf = ({ key }: MatrixLine): Operation => OPERATIONS.find((each) => each === key) ?? "get";
  return (
    <Section
      title={t("Class permissions")}
      actions={
        <DialogButton
          small
          icon={Plus}
          disabled={onChange === undefined}
          label={t("Add role or user")}
          dialog={(close) => (
            <AddSubject
              title={t("Add role or user")}
              description={t("Added to the matrix without any permissions")}
              choices={(roles ?? [])
                .map((name) => ({ key: ROLE + name, label: name }))
                .filter(({ key }) => !keys.includes(key))}
              existingKeys={keys}
              onClose={close}
              onAdd={(key) => setAdded([...added, key])}
            />
          )}
        />
      }
    >
      <Matrix
        label={t("Permissions of {name}", { name: row.className })}
        corner={t("Who")}
        rows={lines}
        columns={columns}
        cellOf={(line, column) => {
          const operation = operationOf(column);
          const isOn = isGranted(next, operation, line.key);
          const inherited = inheritedFrom(next, operation, line.key, ancestors);
          return {
            isOn,
            isChanged: isOn !== isGranted(known, operation, line.key),
            ...(inherited !== undefined && {
              inheritedReason: t("inherited from {subject}", { subject: subjectOf(inherited).label }),
            }),
            ...(!isPossible(operation, line.key) && {
              disabledReason: t("not applicable: a new object has no pointers yet"),
            }),
          };
        }}
        onSet={
          onChange &&
          ((changes) =>
            onChange(
              ...changes.map(({ row: line, column, to }): Change => {
                return { kind: "grant", operation: operationOf(column), subject: line.key, to };
              }),
            ))
        }
        footer={{
          heading: t("Effective"),
          render: (column) => (
            <EffectBadge
              effect={effectOf(next, operationOf(column))}
              isCompact
              hasOwnRules={row.className.startsWith("_")}
            />
          ),
        }}
      />
      <p className="soft small">
        {t(
          "Use the arrow keys to move and Space to toggle. Dashed check: inherited from another row. The master key bypasses all permission checks; object ACLs still apply.",
        )}
      </p>
    </Section>
  );
}

/** Order: everyone, authenticated users, roles, users, fields. */
function rank(key: string): number {
  if (key === "*") return 0;
  if (key === "requiresAuthentication") return 1;
  if (key.startsWith(ROLE)) return 2;
  return key.startsWith(FIELD) ? 4 : 3;
}

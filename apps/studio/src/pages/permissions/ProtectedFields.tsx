import type { JsonObject } from "@purse/protocol";
import type { StudioClass } from "@purse/server/studio-api";
import { Button, EmptyState, useTranslation } from "@purse/ui";
import { EyeOff, Plus, X } from "lucide-react";
import { DialogButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { AddSubject } from "./AddSubject.tsx";
import { Matrix, type MatrixLine } from "./Matrix.tsx";
import { EVERYONE, pointerFields, protectedFields, ROLE } from "./permissionMatrix.ts";
import type { Change } from "./permissionsDraft.ts";
import { AUTHENTICATED, USER_FIELD, useSubjects } from "./subjects.tsx";

/** System fields, which cannot be hidden. */
const COMMON_FIELDS: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

export interface ProtectedFieldsProps {
  row: StudioClass;
  known: JsonObject;
  next: JsonObject;
  roles: readonly string[] | undefined;
  onChange: ((...changes: Change[]) => void) | undefined;
}

/** Edits which fields are hidden from which subjects. */
export function ProtectedFields({ row, known, next, roles, onChange }: ProtectedFieldsProps) {
  const { t } = useTranslation();
  const savedFields = protectedFields(known);
  const draftFields = protectedFields(next);
  const keys = [...new Set([EVERYONE, ...Object.keys(draftFields)])];
  const subjectOf = useSubjects(keys, roles);
  const fields = Object.keys(row.fields).filter((field) => !COMMON_FIELDS.includes(field));
  const choices = [
    { key: AUTHENTICATED, label: t("Authenticated users") },
    ...(roles ?? []).map((name) => ({ key: ROLE + name, label: t("Role {name}", { name }) })),
    ...pointerFields(row.fields).map((field) => ({
      key: USER_FIELD + field,
      label: t("Users in {field}", { field }),
    })),
  ].filter(({ key }) => !keys.includes(key));
  return (
    <Section
      title={t("Protected fields")}
      actions={
        <DialogButton
          small
          icon={Plus}
          disabled={onChange === undefined}
          label={t("Add entry")}
          dialog={(close) => (
            <AddSubject
              title={t("Add entry")}
              description={t("Matching users see all fields until you hide some.")}
              choices={choices}
              existingKeys={keys}
              onClose={close}
              onAdd={(subject) => onChange?.({ kind: "entry", subject, to: true })}
            />
          )}
        />
      }
    >
      {fields.length === 0 ? (
        <EmptyState title={t("No fields to protect")}>{t("System fields are always visible.")}</EmptyState>
      ) : (
        <>
          <Matrix
            label={t("Protected fields of {name}", { name: row.className })}
            corner={t("Field")}
            rows={fields.map((field) => ({ key: field, label: field }))}
            columns={keys.map((key): MatrixLine => {
              const { label, description } = subjectOf(key);
              return {
                key,
                label: t("hidden from {subject}", { subject: label }),
                heading: (
                  <span className="entry">
                    <bdi>{label}</bdi>
                    {description !== undefined && <span className="soft">{description}</span>}
                  </span>
                ),
              };
            })}
            cellOf={(field, subject) => {
              const isOn = (draftFields[subject.key] ?? []).includes(field.key);
              return { isOn, isChanged: isOn !== (savedFields[subject.key] ?? []).includes(field.key) };
            }}
            onSet={
              onChange &&
              ((changes) =>
                onChange(
                  ...changes.map(({ row: field, column, to }): Change => {
                    return { kind: "hidden", field: field.key, subject: column.key, to };
                  }),
                ))
            }
            icon={<EyeOff size={16} aria-hidden="true" />}
          />
          {keys.length > 1 && (
            <ul className="row entries" aria-label={t("Entries")}>
              {keys.slice(1).map((key) => {
                const { label } = subjectOf(key);
                return (
                  <li key={key}>
                    <Button
                      small
                      disabled={onChange === undefined}
                      onClick={() => onChange?.({ kind: "entry", subject: key, to: false })}
                      aria-label={t("Remove entry for {subject}", { subject: label })}
                    >
                      <bdi>{label}</bdi>
                      <X size={14} aria-hidden="true" />
                    </Button>
                  </li>
                );
              })}
            </ul>
          )}
          <p className="soft small">
            {t(
              "If several entries match a user, a field is hidden only when all of them hide it. Users always see their own _User fields.",
            )}
          </p>
        </>
      )}
    </Section>
  );
}

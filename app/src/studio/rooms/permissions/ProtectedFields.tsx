import type { JsonObject } from "@purse/protocol";
import { EyeOff, Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { AddWho } from "./AddWho.tsx";
import type { Change } from "./draft.ts";
import { type Line, Matrix } from "./Matrix.tsx";
import { EVERYONE, pointerFields, protectedFields, ROLE } from "./permissions.ts";
import { AUTHENTICATED, USER_FIELD, useWho } from "./who.tsx";

/** Every object has them; they cannot be hidden. */
const COMMON: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

export interface ProtectedFieldsProps {
  row: ClassRow;
  known: JsonObject;
  next: JsonObject;
  roles: readonly string[] | undefined;
  onChange: ((...changes: Change[]) => void) | undefined;
}

/** Which fields of an object are left out of what somebody gets to see. */
export function ProtectedFields({ row, known, next, roles, onChange }: ProtectedFieldsProps) {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  const was = protectedFields(known);
  const is = protectedFields(next);
  const keys = [...new Set([EVERYONE, ...Object.keys(is)])];
  const whoIs = useWho(keys, roles);
  const fields = Object.keys(row.fields).filter((field) => !COMMON.includes(field));
  const choices = [
    { key: AUTHENTICATED, label: t("Whoever is signed in") },
    ...(roles ?? []).map((name) => ({ key: ROLE + name, label: t("Role {name}", { name }) })),
    ...pointerFields(row.fields).map((field) => ({
      key: USER_FIELD + field,
      label: t("Whom {field} points to", { field }),
    })),
  ].filter(({ key }) => !keys.includes(key));
  return (
    <Section
      title={t("Protected fields")}
      actions={
        <Button small disabled={onChange === undefined} onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden="true" />
          {t("Add an entry")}
        </Button>
      }
    >
      {fields.length === 0 ? (
        <EmptyState title={t("There is no field to hide")}>
          {t("What every object has is always told.")}
        </EmptyState>
      ) : (
        <>
          <Matrix
            label={t("Protected fields of {name}", { name: row.className })}
            corner={t("Field")}
            rows={fields.map((field) => ({
              key: field,
              label: field,
              head: (
                <span className="who">
                  <bdi>
                    <code>{field}</code>
                  </bdi>
                </span>
              ),
            }))}
            columns={keys.map((key): Line => {
              const { label, about } = whoIs(key);
              return {
                key,
                label: t("hidden from {who}", { who: label }),
                head: (
                  <span className="entry">
                    <bdi>{label}</bdi>
                    {about !== undefined && <span className="soft">{about}</span>}
                  </span>
                ),
              };
            })}
            cellOf={(field, who) => {
              const isOn = (is[who.key] ?? []).includes(field.key);
              return { isOn, isChanged: isOn !== (was[who.key] ?? []).includes(field.key) };
            }}
            onSet={
              onChange &&
              ((changes) =>
                onChange(
                  ...changes.map(({ row: field, column, to }): Change => {
                    return { kind: "hidden", field: field.key, who: column.key, to };
                  }),
                ))
            }
            sign={<EyeOff size={16} aria-hidden="true" />}
          />
          {keys.length > 1 && (
            <ul className="row entries" aria-label={t("Entries")}>
              {keys.slice(1).map((key) => {
                const { label } = whoIs(key);
                return (
                  <li key={key}>
                    <Button
                      small
                      disabled={onChange === undefined}
                      onClick={() => onChange?.({ kind: "entry", who: key, to: false })}
                      aria-label={t("Remove the entry of {who}", { who: label })}
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
              "Who several entries fit sees a field unless all of them hide it: an entry that hides nothing shows everything. Users see all of themselves.",
            )}
          </p>
        </>
      )}
      {isAdding && (
        <AddWho
          title={t("Add an entry")}
          about={t("Until it hides something, whom it fits sees every field.")}
          choices={choices}
          taken={keys}
          onClose={() => setAdding(false)}
          onAdd={(who) => onChange?.({ kind: "entry", who, to: true })}
        />
      )}
    </Section>
  );
}

import type { JsonObject } from "@purse/protocol";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { AddWho } from "./AddWho.tsx";
import type { Change } from "./draft.ts";
import { EffectMark } from "./EffectMark.tsx";
import { type Line, Matrix } from "./Matrix.tsx";
import {
  effectOf,
  FIELD,
  impliedBy,
  isGranted,
  isPossible,
  named,
  OPERATIONS,
  type Operation,
  pointerFields,
  ROLE,
} from "./permissions.ts";
import { useWho, WhoHead } from "./who.tsx";

/** So many roles stand in the matrix without being asked for. */
const FEW_ROLES = 12;

export interface OperationMatrixProps {
  row: ClassRow;
  known: JsonObject;
  /** As they would be. */
  next: JsonObject;
  roles: readonly string[] | undefined;
  above: (role: string) => readonly string[];
  /** Undefined for who may look only. */
  onChange: ((...changes: Change[]) => void) | undefined;
}

/** Who by what: everyone, the signed in, roles, users, and whom fields of the object point to. */
export function OperationMatrix({ row, known, next, roles, above, onChange }: OperationMatrixProps) {
  const { t } = useTranslation();
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isAdding, setAdding] = useState(false);
  const fields = pointerFields(row.fields).map((field) => FIELD + field);
  const few = roles && roles.length <= FEW_ROLES ? roles.map((name) => ROLE + name) : [];
  const keys = [...new Set([...named(known), ...named(next), ...few, ...fields, ...added])].toSorted(
    // They stay where they are while they are changed.
    (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  );
  const whoIs = useWho(keys, roles);
  const lines = keys.map((key): Line => {
    const who = whoIs(key);
    return { key, label: who.label, head: <WhoHead who={who} /> };
  });
  const columns = OPERATIONS.map((key): Line => ({ key, label: key }));
  const operationOf = ({ key }: Line): Operation => OPERATIONS.find((each) => each === key) ?? "get";
  return (
    <Section
      title={t("Who may do what")}
      actions={
        <Button small disabled={onChange === undefined} onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden="true" />
          {t("Add a role or user")}
        </Button>
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
          const by = impliedBy(next, operation, line.key, above);
          return {
            isOn,
            isChanged: isOn !== isGranted(known, operation, line.key),
            ...(by !== undefined && { implied: t("may, as {who} may", { who: whoIs(by).label }) }),
            ...(!isPossible(operation, line.key) && {
              impossible: t("does not apply: a new object names nobody yet"),
            }),
          };
        }}
        onSet={
          onChange &&
          ((changes) =>
            onChange(
              ...changes.map(({ row: line, column, to }): Change => {
                return { kind: "grant", operation: operationOf(column), who: line.key, to };
              }),
            ))
        }
        foot={{
          head: t("In effect"),
          of: (column) => (
            <EffectMark
              effect={effectOf(next, operationOf(column))}
              isShort
              hasOwnRules={row.className.startsWith("_")}
            />
          ),
        }}
      />
      <p className="soft small">
        {t(
          "Arrow keys move, Space changes. A dashed check: they may, by another row. The master key may everything; the ACL of an object is asked as well.",
        )}
      </p>
      {isAdding && (
        <AddWho
          title={t("Add a role or user")}
          about={t("They stand in the matrix, and may nothing yet.")}
          choices={(roles ?? [])
            .map((name) => ({ key: ROLE + name, label: name }))
            .filter(({ key }) => !keys.includes(key))}
          taken={keys}
          onClose={() => setAdding(false)}
          onAdd={(key) => setAdded([...added, key])}
        />
      )}
    </Section>
  );
}

/** Everyone, the signed in, roles, users, fields. */
function rank(key: string): number {
  if (key === "*") return 0;
  if (key === "requiresAuthentication") return 1;
  if (key.startsWith(ROLE)) return 2;
  return key.startsWith(FIELD) ? 4 : 3;
}

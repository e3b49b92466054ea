import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import { describeAcl, Field, fullText, IconButton, RelativeTime, useTranslation } from "@purse/ui";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useOperator } from "../../StudioContext.tsx";
import { cellEditMode } from "./cellEditMode.ts";
import type { Column } from "./columns.ts";
import type { RowPanelProps } from "./rowDialogProps.ts";

/** With more fields, a search field is shown. */
const SEARCH_THRESHOLD = 12;
/** Longer values are truncated; the editor shows all of it. */
const MAX_SHOWN_LENGTH = 2_000;

export interface FieldListProps extends Pick<RowPanelProps, "columns" | "draft" | "onEdit" | "onOpen"> {
  row: JsonObject;
}

/** All fields of a row, including hidden columns. */
export function FieldList({ row, columns, draft, onEdit, onOpen }: FieldListProps) {
  const { t } = useTranslation();
  const { role } = useOperator();
  const [text, setText] = useState("");
  const found = columns.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <div className="stack tight">
      {columns.length > SEARCH_THRESHOLD && (
        <Field label={t("Search fields")} type="search" value={text} onText={setText} />
      )}
      <dl className="field-list">
        {found.map((column) => {
          const { name } = column;
          const invalid = draft?.invalid && ownValue(draft.invalid, name);
          const problem = invalid?.reason ?? "";
          const isChanged = draft !== undefined && Object.hasOwn(draft.changes, name);
          const value = isChanged ? (draft.changes[name] ?? undefined) : ownValue(row, name);
          const isFieldEditable = cellEditMode(column, role) !== "none";
          return (
            <div key={name} data-changed={isChanged || invalid !== undefined || undefined}>
              <dt>
                <bdi>{name}</bdi> <span className="grid-type">{column.targetClass ?? column.type}</span>
                {isChanged && <span className="visually-hidden">{t("not saved yet")}</span>}
              </dt>
              <dd>
                {invalid ? (
                  <>
                    <bdi>{invalid.text}</bdi> <span className="problem">{t(problem)}</span>
                  </>
                ) : (
                  <Value column={column} value={value} onOpen={onOpen} />
                )}
              </dd>
              {isFieldEditable && (
                <IconButton
                  icon={Pencil}
                  label={
                    column.type === "Relation" ? t("Rows of {name}", { name }) : t("Edit {name}", { name })
                  }
                  size={15}
                  onClick={() => onEdit(row, column)}
                />
              )}
            </div>
          );
        })}
      </dl>
    </div>
  );
}

interface ValueProps {
  column: Column;
  value: JsonValue | undefined;
  onOpen: RowPanelProps["onOpen"];
}

function Value({ column, value, onOpen }: ValueProps) {
  const { t } = useTranslation();
  if (column.type === "ACL") return describeAcl(value);
  if (value === undefined || value === null || value === "") return <span className="soft">—</span>;
  if (isJsonObject(value)) {
    const { __type: type, className, objectId, url } = value;
    if (type === "Pointer" && typeof className === "string" && typeof objectId === "string")
      return (
        <button type="button" className="link" onClick={() => onOpen(className, objectId)}>
          {t("Open {name} {id}", { name: className, id: objectId })}
        </button>
      );
    if (type === "File" && typeof url === "string" && /^https?:/.test(url))
      return (
        <a href={url} target="_blank" rel="noreferrer">
          <bdi>{String(value.name)}</bdi>
        </a>
      );
    if (type === "Date" && typeof value.iso === "string") return <Time iso={value.iso} />;
  }
  if (column.type === "Date" && typeof value === "string") return <Time iso={value} />;
  const text = fullText(value);
  const isCode = column.type === "Object" || column.type === "Array" || column.type === "Polygon";
  const truncated = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return isCode ? <pre>{truncated}</pre> : <bdi>{truncated}</bdi>;
}

function Time({ iso }: { iso: string }) {
  const isTime = !Number.isNaN(Date.parse(iso));
  return (
    <>
      <bdi>{iso}</bdi>{" "}
      {isTime && (
        <span className="soft small">
          <RelativeTime at={iso} />
        </span>
      )}
    </>
  );
}

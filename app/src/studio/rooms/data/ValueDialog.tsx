import { isJsonObject, type JsonObject, type JsonValue, type StudioPage } from "@purse/protocol";
import { useState } from "react";
import { Field, TextArea } from "../../../design/Field.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer } from "../parts/asking.ts";
import type { Column } from "./columns.ts";
import { readTyped, typedOf } from "./typed.ts";
import { aclInWords, shown } from "./value.ts";

/** A value that needs more room than a cell: JSON, an ACL, a place on earth, a pointer. */
export function ValueDialog({
  column,
  value,
  onDone,
  onCancel,
}: {
  column: Column;
  value: JsonValue | undefined;
  onDone: (value: JsonValue) => void;
  onCancel: () => void;
}) {
  const { t } = useTexts();
  const [text, setText] = useState(() => typedOf(value, column));
  const read = readTyped(text, column);
  const isShort = column.type === "Pointer" || column.type === "GeoPoint";
  const bound = {
    label:
      column.type === "GeoPoint" ? t("Latitude, longitude") : column.type === "Pointer" ? t("Id") : t("JSON"),
    value: text,
    problem: read.problem,
    hint:
      column.type === "ACL" && read.problem === undefined
        ? aclInWords(read.value)
        : t("Empty takes the value away."),
    spellCheck: false,
    autoComplete: "off",
  };
  return (
    <Ask
      open
      onClose={onCancel}
      title={column.name}
      about={column.targetClass ?? column.type}
      verb={t("Take")}
      disabled={read.problem !== undefined}
      busy={false}
      wide={!isShort}
      onDo={() => read.problem === undefined && onDone(read.value)}
    >
      {isShort ? (
        <Field {...bound} onChange={(event) => setText(event.target.value)} />
      ) : (
        <div className="mono-field">
          <TextArea {...bound} rows={12} onChange={(event) => setText(event.target.value)} />
        </div>
      )}
      {column.type === "Pointer" && column.targetClass !== undefined && (
        <Candidates className={column.targetClass} id={text.trim()} onChoose={setText} />
      )}
    </Ask>
  );
}

/** Rows whose id begins as typed. */
function Candidates({
  className,
  id,
  onChoose,
}: {
  className: string;
  id: string;
  onChoose: (id: string) => void;
}) {
  const { t } = useTexts();
  const where: JsonObject = id === "" ? {} : { objectId: { $gte: id, $lt: `${id}\uffff` } };
  const found = useAnswer<StudioPage<JsonObject>>(`/data/${className}`, { query: { where, limit: 8 } });
  return (
    <ul aria-label={t("Rows of {name}", { name: className })}>
      {found.data?.results.map((row) => (
        <li key={String(row.objectId)}>
          <button type="button" className="pick" onClick={() => onChoose(String(row.objectId))}>
            <code>{String(row.objectId)}</code> <bdi className="cut soft">{nameOf(row)}</bdi>
          </button>
        </li>
      ))}
      {found.data?.results.length === 0 && (
        <li className="soft small">{t("No row has an id that begins so.")}</li>
      )}
    </ul>
  );
}

/** By what people know a row: its first text. */
function nameOf(row: JsonObject): string {
  const texts = Object.entries(row).filter(
    ([name, value]) => typeof value === "string" && !["objectId", "createdAt", "updatedAt"].includes(name),
  );
  const named = texts.find(([name]) => /name|title/i.test(name)) ?? texts[0];
  return named && !isJsonObject(named[1]) ? shown(named[1]) : "";
}

import type { FieldType, JsonObject, StudioPage } from "@purse/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "../../../../design/Field.tsx";
import { QueryState } from "../../../../design/QueryState.tsx";
import { SkeletonList } from "../../../../design/states.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../../StudioContext.tsx";
import { useClasses } from "../../parts/classes.ts";
import { literal } from "../filters.ts";
import { nameOf } from "../value.ts";

/** Fields of text that are looked through; more make a search slow. */
const MOST_FIELDS = 6;
const SHOWN = 8;
/** Nobody searches by what these hold. */
const HIDDEN = new Set(["password", "sessionToken", "objectId"]);

/** Finds a row of a class by its id or by what its texts contain. */
export function RowPicker({
  className,
  chosen,
  onChoose,
}: {
  className: string;
  /** The id of the one that is chosen. */
  chosen?: string;
  onChoose: (row: JsonObject) => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const classes = useClasses();
  const [text, setText] = useState("");
  const fields = classes.data?.find((each) => each.className === className)?.fields ?? {};
  const path = `/data/${className}`;
  const where = searchOf(text.trim(), fields);
  const found = useQuery({
    queryKey: [path, "picker", where],
    queryFn: ({ signal }) => studio.get<StudioPage<JsonObject>>(path, { where, limit: SHOWN }, signal),
    enabled: classes.data !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <div className="stack tight">
      <Field
        label={t("Find a row of {name}", { name: className })}
        hint={t("By its id, or by what its texts contain.")}
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
      <QueryState
        // Until the classes are known nobody knows what to look through.
        query={classes.data === undefined ? { ...classes, data: undefined } : found}
        label={t("Loading the rows")}
        skeleton={<SkeletonList rows={3} label={t("Loading the rows")} />}
      >
        {({ results }) => (
          <ul aria-label={t("Rows of {name}", { name: className })}>
            {results.map((row) => (
              <li key={String(row.objectId)}>
                <button
                  type="button"
                  className="pick"
                  aria-current={row.objectId === chosen ? "true" : undefined}
                  onClick={() => onChoose(row)}
                >
                  <code>{String(row.objectId)}</code> <bdi className="cut soft">{nameOf(row)}</bdi>
                </button>
              </li>
            ))}
            {results.length === 0 && <li className="soft small">{t("No row is like that.")}</li>}
          </ul>
        )}
      </QueryState>
    </div>
  );
}

function searchOf(text: string, fields: Readonly<Record<string, FieldType>>): JsonObject {
  if (text === "") return {};
  const texts = Object.entries(fields).filter(([name, { type }]) => type === "String" && !HIDDEN.has(name));
  return {
    $or: [
      { objectId: { $gte: text, $lt: `${text}\uffff` } },
      ...texts
        .slice(0, MOST_FIELDS)
        .map(([name]): JsonObject => ({ [name]: { $regex: literal(text), $options: "i" } })),
    ],
  };
}

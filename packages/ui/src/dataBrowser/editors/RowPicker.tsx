import type { JsonObject } from "@purse/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "../../components/Field.tsx";
import { QueryState } from "../../components/QueryState.tsx";
import { SkeletonList } from "../../components/Skeleton.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { useDataSource } from "../DataSource.ts";
import type { DataField } from "../fields.ts";
import { escapeRegExp } from "../filterQueries.ts";
import { rowLabel } from "../formatValue.ts";

/** Number of String fields searched; more would be slow. */
const MAX_SEARCH_FIELDS = 6;
const MAX_RESULTS = 8;

export interface RowPickerProps {
  className: string;
  /** Id of the selected row. */
  chosen?: string;
  onChoose: (row: JsonObject) => void;
}

/** Finds a row by its id or its String fields. */
export function RowPicker({ className, chosen, onChoose }: RowPickerProps) {
  const { t } = useTranslation();
  const { classes, findRows } = useDataSource();
  const [text, setText] = useState("");
  const fields = classes.data?.find((each) => each.className === className)?.fields ?? [];
  const where = searchWhere(text.trim(), fields);
  const found = useQuery({
    queryKey: ["picker", className, where],
    queryFn: ({ signal }) => findRows(className, where, MAX_RESULTS, signal),
    enabled: classes.data !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <div className="stack tight">
      <Field
        label={t("Search rows of {name}", { name: className })}
        hint={t("Search by ID or text.")}
        type="search"
        value={text}
        onText={setText}
        autoComplete="off"
      />
      <QueryState
        // The classes are needed to know the searchable fields.
        query={classes.data === undefined ? { ...classes, data: undefined } : found}
        label={t("Loading rows…")}
        skeleton={<SkeletonList rows={3} label={t("Loading rows…")} />}
      >
        {(rows) => (
          <ul aria-label={t("Rows of {name}", { name: className })}>
            {rows.map((row) => (
              <li key={String(row.objectId)}>
                <button
                  type="button"
                  className="pick"
                  aria-current={row.objectId === chosen ? "true" : undefined}
                  onClick={() => onChoose(row)}
                >
                  <code>{String(row.objectId)}</code> <bdi className="cut soft">{rowLabel(row)}</bdi>
                </button>
              </li>
            ))}
            {rows.length === 0 && <li className="soft small">{t("No matching rows")}</li>}
          </ul>
        )}
      </QueryState>
    </div>
  );
}

/** The rows whose ID begins with a text, or whose String fields contain it. */
export function searchWhere(text: string, fields: readonly DataField[]): JsonObject {
  if (text === "") return {};
  const textFields = fields.filter(({ name, type }) => type === "String" && name !== "objectId");
  return {
    $or: [
      { objectId: { $gte: text, $lt: `${text}\uffff` } },
      ...textFields
        .slice(0, MAX_SEARCH_FIELDS)
        .map(({ name }): JsonObject => ({ [name]: { $regex: escapeRegExp(text), $options: "i" } })),
    ],
  };
}

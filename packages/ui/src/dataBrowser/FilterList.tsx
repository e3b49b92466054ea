import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../components/Button.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { FilterForm, useOperatorLabels } from "./FilterForm.tsx";
import { type DataField, isFilterable } from "./fields.ts";
import { conditionsOf } from "./filterQueries.ts";
import type { Condition, Filter } from "./filters.ts";
import { displayText } from "./formatValue.ts";
import "./FilterList.css";

export interface FilterListProps {
  fields: readonly DataField[];
  filters: readonly Filter[];
  /** Index of the edited filter, or "new". */
  editing: number | "new" | undefined;
  onEditing: (editing: number | "new" | undefined) => void;
  onChange: (filters: Filter[]) => void;
  /** Label of the button that adds the filter. */
  addLabel?: string;
  buttonVariant?: "quiet";
  /** Further chips. */
  chips?: ReactNode;
}

/** The active filters as chips, with a form that adds and edits them. */
export function FilterList(props: FilterListProps) {
  const { filters, editing, onEditing, onChange } = props;
  const { t } = useTranslation();
  const operatorLabels = useOperatorLabels();
  const describe = ({ field, of, operator, value }: Condition) =>
    `${field}${of === undefined ? "" : `.${of}`} ${operatorLabels[operator]} ${displayText(value)}`.trim();
  return (
    <>
      <ul className="filter-list" aria-label={t("Filters")}>
        {filters.map((filter, i) => (
          <FilterChip
            key={JSON.stringify(filter)}
            label={conditionsOf(filter)
              .map(describe)
              .join(` ${t("or")} `)}
            onEdit={() => onEditing(i)}
            onRemove={() => onChange(filters.filter((_, at) => at !== i))}
          />
        ))}
        {props.chips}
      </ul>
      <Button icon={Plus} small variant={props.buttonVariant} onClick={() => onEditing("new")}>
        {t("Filter")}
      </Button>
      {editing !== undefined && (
        <FilterForm
          fields={props.fields.filter(isFilterable)}
          filter={editing === "new" ? undefined : filters[editing]}
          confirmLabel={editing === "new" ? (props.addLabel ?? t("Add")) : t("Apply")}
          onClose={() => onEditing(undefined)}
          onDone={(filter) => {
            onEditing(undefined);
            onChange(
              editing === "new"
                ? [...filters, filter]
                : filters.map((each, i) => (i === editing ? filter : each)),
            );
          }}
        />
      )}
    </>
  );
}

export interface FilterChipProps {
  label: string;
  onEdit?: () => void;
  onRemove: () => void;
}

export function FilterChip({ label, onEdit, onRemove }: FilterChipProps) {
  const { t } = useTranslation();
  return (
    <li className="filter-chip">
      {onEdit ? (
        <button type="button" className="filter-label" title={t("Edit filter")} onClick={onEdit}>
          <bdi className="cut">{label}</bdi>
        </button>
      ) : (
        <bdi className="cut">{label}</bdi>
      )}
      <button type="button" aria-label={t("Remove filter {filter}", { filter: label })} onClick={onRemove}>
        <X size={14} aria-hidden="true" />
      </button>
    </li>
  );
}

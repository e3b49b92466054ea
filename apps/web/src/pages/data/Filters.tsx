import { Button, Dialog, Field, IconButton, Select, useTranslation } from "@purse/ui";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type Filter, OPERATORS, type Operator, takesValue } from "./filter.ts";

export interface FiltersProps {
  fields: readonly string[];
  filters: readonly Filter[];
  onFilters: (filters: readonly Filter[]) => void;
  /** A field; a leading `-` sorts in descending order. */
  sort: string;
  onSort: (sort: string) => void;
}

const OPERATOR_KEYS: readonly Operator[] = ["is", "not", "has", "more", "less", "set", "unset"];

/** The filters, as chips, and the sort order. */
export function Filters({ fields, filters, onFilters, sort, onSort }: FiltersProps) {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  const sortable = [...new Set(["createdAt", "updatedAt", ...fields, sort.replace(/^-/, "")])];
  return (
    <div className="filters">
      <ul className="chips" aria-label={t("Filters")}>
        {filters.map((filter) => (
          <li key={`${filter.field}~${filter.operator}~${filter.value}`} className="chip">
            <span className="clip">
              <strong>{filter.field}</strong> {t(OPERATORS[filter.operator])}{" "}
              {takesValue(filter.operator) && <bdi>{filter.value}</bdi>}
            </span>
            <IconButton
              icon={X}
              label={t("Remove filter {field}", { field: filter.field })}
              size={14}
              onClick={() => onFilters(filters.filter((each) => each !== filter))}
            />
          </li>
        ))}
        <li>
          <Button small variant="quiet" onClick={() => setIsAdding(true)}>
            <Plus size={14} aria-hidden="true" /> {t("Filter")}
          </Button>
        </li>
      </ul>
      <Select
        label={t("Sort")}
        hideLabel
        value={sort}
        onChange={onSort}
        options={sortable.flatMap((field) => [
          { key: `-${field}`, label: t("{field} descending", { field }) },
          { key: field, label: t("{field} ascending", { field }) },
        ])}
      />
      {isAdding && (
        <NewFilter
          fields={sortable}
          onClose={() => setIsAdding(false)}
          onAdd={(filter) => {
            onFilters([...filters, filter]);
            setIsAdding(false);
          }}
        />
      )}
    </div>
  );
}

interface NewFilterProps {
  fields: readonly string[];
  onAdd: (filter: Filter) => void;
  onClose: () => void;
}

function NewFilter({ fields, onAdd, onClose }: NewFilterProps) {
  const { t } = useTranslation();
  const [field, setField] = useState(fields.find((each) => !/At$/.test(each)) ?? "createdAt");
  const [operator, setOperator] = useState<Operator>("is");
  const [value, setValue] = useState("");
  function add(event: FormEvent) {
    event.preventDefault();
    onAdd({ field, operator, value: takesValue(operator) ? value : "" });
  }
  return (
    <Dialog open onClose={onClose} title={t("Add filter")}>
      <form className="stack" onSubmit={add}>
        <Select
          label={t("Field")}
          value={field}
          onChange={setField}
          options={fields.map((key) => ({ key, label: key }))}
        />
        <Select
          label={t("Condition")}
          value={operator}
          onChange={setOperator}
          options={OPERATOR_KEYS.map((key) => ({ key, label: t(OPERATORS[key]) }))}
        />
        {takesValue(operator) && (
          <Field
            label={t("Value")}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            hint={t(
              "A number, true or false, a date such as 2026-03-01, or text. Quoted values are always text.",
            )}
          />
        )}
        <div>
          <Button type="submit" variant="primary">
            {t("Apply filter")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

import { Button, ConfirmDialog, Field, useTranslation } from "@purse/ui";
import { Gauge, Plus, X } from "lucide-react";
import { useState } from "react";
import type { Column } from "./columns.ts";
import { FilterForm, useOperatorLabels } from "./FilterForm.tsx";
import { type Condition, conditionsOf, type Filter } from "./filters.ts";
import { displayText } from "./formatValue.ts";

export interface FiltersProps {
  columns: readonly Column[];
  filters: readonly Filter[];
  as: string | undefined;
  /** Index of the edited filter, or "new". */
  editing: number | "new" | undefined;
  onEditing: (editing: number | "new" | undefined) => void;
  onChange: (filters: Filter[]) => void;
  onAs: (as: string | undefined) => void;
  onExplain: () => void;
}

/** The active filters as chips, and the user whose view is shown. */
export function Filters({
  columns,
  filters,
  as,
  editing,
  onEditing,
  onChange,
  onAs,
  onExplain,
}: FiltersProps) {
  const { t } = useTranslation();
  const operatorLabels = useOperatorLabels();
  const [isChoosingUser, setChoosingUser] = useState(false);
  const describe = ({ field, of, operator, value }: Condition) =>
    `${field}${of === undefined ? "" : `.${of}`} ${operatorLabels[operator]} ${displayText(value)}`.trim();
  return (
    <div className="data-tools">
      <ul className="filter-list" aria-label={t("Filters")}>
        {filters.map((filter, i) => {
          const label = conditionsOf(filter)
            .map(describe)
            .join(` ${t("or")} `);
          return (
            <Chip
              key={JSON.stringify(filter)}
              label={label}
              onEdit={() => onEditing(i)}
              onRemove={() => onChange(filters.filter((_, at) => at !== i))}
            />
          );
        })}
        {as !== undefined && (
          <Chip label={t("Viewing as {user}", { user: as })} onRemove={() => onAs(undefined)} />
        )}
      </ul>
      <Button small onClick={() => onEditing("new")}>
        <Plus size={15} aria-hidden="true" />
        {t("Filter")}
      </Button>
      <Button small onClick={() => setChoosingUser(true)}>
        {t("View as user")}
      </Button>
      <Button small onClick={onExplain}>
        <Gauge size={15} aria-hidden="true" />
        {t("Explain")}
      </Button>
      {editing !== undefined && (
        <FilterForm
          columns={columns}
          filter={editing === "new" ? undefined : filters[editing]}
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
      {isChoosingUser && (
        <ViewAsDialog
          onClose={() => setChoosingUser(false)}
          onDone={(userId) => {
            setChoosingUser(false);
            onAs(userId);
          }}
        />
      )}
    </div>
  );
}

function Chip({ label, onEdit, onRemove }: { label: string; onEdit?: () => void; onRemove: () => void }) {
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

function ViewAsDialog({ onDone, onClose }: { onDone: (userId: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const userId = text.trim() || "anonymous";
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("View as user")}
      confirmLabel={t("View")}
      onConfirm={() => onDone(userId)}
    >
      <Field
        label={t("User ID")}
        hint={t("Leave empty for an anonymous user.")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}

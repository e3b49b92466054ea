import { Gauge, Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import type { Column } from "./columns.ts";
import { FilterForm, useOperatorWords } from "./FilterForm.tsx";
import { type Condition, conditionsOf, type Filter } from "./filters.ts";
import { shown } from "./value.ts";

export interface FiltersProps {
  columns: readonly Column[];
  filters: readonly Filter[];
  as: string | undefined;
  /** Which one is edited: its place, or a new one. */
  editing: number | "new" | undefined;
  onEditing: (editing: number | "new" | undefined) => void;
  onChange: (filters: Filter[]) => void;
  onAs: (as: string | undefined) => void;
  onExplain: () => void;
}

/** What narrows the rows, each as a chip, and as whom they are looked at. */
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
  const words = useOperatorWords();
  const [isBecoming, setIsBecoming] = useState(false);
  const say = ({ field, of, operator, value }: Condition) =>
    `${field}${of === undefined ? "" : `.${of}`} ${words[operator]} ${shown(value)}`.trim();
  return (
    <div className="data-tools">
      <ul className="filter-list" aria-label={t("Filters")}>
        {filters.map((filter, i) => {
          const said = conditionsOf(filter)
            .map(say)
            .join(` ${t("or")} `);
          return (
            <Chip
              key={JSON.stringify(filter)}
              said={said}
              onEdit={() => onEditing(i)}
              onRemove={() => onChange(filters.filter((_, at) => at !== i))}
            />
          );
        })}
        {as !== undefined && <Chip said={t("as {who}", { who: as })} onRemove={() => onAs(undefined)} />}
      </ul>
      <Button small onClick={() => onEditing("new")}>
        <Plus size={15} aria-hidden="true" />
        {t("Filter")}
      </Button>
      <Button small onClick={() => setIsBecoming(true)}>
        {t("Look as a user")}
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
      {isBecoming && (
        <Become
          onClose={() => setIsBecoming(false)}
          onDone={(who) => {
            setIsBecoming(false);
            onAs(who);
          }}
        />
      )}
    </div>
  );
}

function Chip({ said, onEdit, onRemove }: { said: string; onEdit?: () => void; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <li className="filter-chip">
      {onEdit ? (
        <button type="button" className="filter-words" title={t("Edit the filter")} onClick={onEdit}>
          <bdi className="cut">{said}</bdi>
        </button>
      ) : (
        <bdi className="cut">{said}</bdi>
      )}
      <button type="button" aria-label={t("Take away: {filter}", { filter: said })} onClick={onRemove}>
        <X size={14} aria-hidden="true" />
      </button>
    </li>
  );
}

function Become({ onDone, onClose }: { onDone: (who: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const who = text.trim() || "anonymous";
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Look as a user")}
      verb={t("Look")}
      busy={false}
      onDo={() => onDone(who)}
    >
      <Field
        label={t("Id of the user")}
        hint={t("Empty is somebody who is not signed in.")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
    </Ask>
  );
}

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import type { Column } from "./columns.ts";
import { type Filter, needsValue, type Operator, operatorsOf } from "./filters.ts";
import { readTyped } from "./typed.ts";
import { shown } from "./value.ts";

/** What narrows the rows, each as a chip, and as whom they are looked at. */
export function Filters({
  columns,
  filters,
  as,
  onChange,
  onAs,
}: {
  columns: readonly Column[];
  filters: readonly Filter[];
  as: string | undefined;
  onChange: (filters: Filter[]) => void;
  onAs: (as: string | undefined) => void;
}) {
  const { t } = useTexts();
  const words = useWords();
  const [isAdding, setIsAdding] = useState(false);
  const [isBecoming, setIsBecoming] = useState(false);
  return (
    <div className="data-tools">
      <ul className="data-tools" aria-label={t("Filters")}>
        {filters.map((filter, i) => {
          const said = `${filter.field} ${words[filter.operator]} ${shown(filter.value)}`.trim();
          const key = JSON.stringify(filter);
          return (
            <Chip key={key} said={said} onRemove={() => onChange(filters.filter((_, at) => at !== i))} />
          );
        })}
        {as !== undefined && <Chip said={t("as {who}", { who: as })} onRemove={() => onAs(undefined)} />}
      </ul>
      <Button small onClick={() => setIsAdding(true)}>
        <Plus size={15} aria-hidden="true" />
        {t("Filter")}
      </Button>
      <Button small onClick={() => setIsBecoming(true)}>
        {t("Look as a user")}
      </Button>
      {isAdding && (
        <AddFilter
          columns={columns}
          onClose={() => setIsAdding(false)}
          onAdd={(filter) => {
            setIsAdding(false);
            onChange([...filters, filter]);
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

function Chip({ said, onRemove }: { said: string; onRemove: () => void }) {
  const { t } = useTexts();
  return (
    <li className="filter-chip">
      <bdi className="cut">{said}</bdi>
      <button type="button" aria-label={t("Take away: {filter}", { filter: said })} onClick={onRemove}>
        <X size={14} aria-hidden="true" />
      </button>
    </li>
  );
}

function AddFilter({
  columns,
  onAdd,
  onClose,
}: {
  columns: readonly Column[];
  onAdd: (filter: Filter) => void;
  onClose: () => void;
}) {
  const { t } = useTexts();
  const words = useWords();
  const [name, setName] = useState(columns[0]?.name ?? "");
  const [wanted, setWanted] = useState<Operator>("is");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const column = columns.find((each) => each.name === name);
  if (!column) return null;
  const operators = operatorsOf(column);
  const operator = operators.includes(wanted) ? wanted : (operators[0] ?? "there");
  function add(): void {
    if (!needsValue(operator)) {
      onAdd({ field: name, operator });
      return;
    }
    const read = column && readTyped(text, column);
    if (read?.problem !== undefined) setProblem(read.problem);
    else if (read) onAdd({ field: name, operator, value: read.value });
  }
  return (
    <Ask open onClose={onClose} title={t("Filter the rows")} verb={t("Add")} busy={false} onDo={add}>
      <Select
        label={t("Field")}
        value={name}
        onChange={setName}
        options={columns.map((each) => ({ key: each.name, label: each.name }))}
      />
      <Select
        label={t("Condition")}
        value={operator}
        onChange={setWanted}
        options={operators.map((key) => ({ key, label: words[key] }))}
      />
      {needsValue(operator) && (
        <Field
          label={t("Value")}
          value={text}
          onChange={(event) => setText(event.target.value)}
          problem={problem}
          hint={column.targetClass ?? column.type}
          autoComplete="off"
        />
      )}
    </Ask>
  );
}

function Become({ onDone, onClose }: { onDone: (who: string) => void; onClose: () => void }) {
  const { t } = useTexts();
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

function useWords(): Record<Operator, string> {
  const { t } = useTexts();
  return {
    is: t("is"),
    isNot: t("is not"),
    less: t("is less than"),
    most: t("is at most"),
    more: t("is more than"),
    least: t("is at least"),
    contains: t("contains"),
    begins: t("begins with"),
    there: t("has a value"),
    missing: t("has no value"),
  };
}

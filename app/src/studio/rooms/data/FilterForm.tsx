import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useClasses } from "../parts/classes.ts";
import { type Column, columnsOf } from "./columns.ts";
import {
  type Condition,
  conditionsOf,
  type Filter,
  needsValue,
  type Operator,
  operatorsOf,
} from "./filters.ts";
import { readTyped, typedOf } from "./typed.ts";

/** Stands for the pointer itself, not for a field of where it leads to. */
const ITSELF = "";
const NO_LAYOUT = { order: [], widths: {}, hidden: [], pinned: [] };

interface Line {
  key: number;
  field: string;
  of: string;
  operator: Operator;
  text: string;
}

/** One filter: a condition, or several of which one is enough. */
export function FilterForm({
  columns,
  filter,
  onDone,
  onClose,
}: {
  columns: readonly Column[];
  /** The one that is edited; none makes a new one. */
  filter: Filter | undefined;
  onDone: (filter: Filter) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const targetsOf = useTargets();
  const empty = (key: number): Line => ({
    key,
    field: columns[0]?.name ?? "",
    of: ITSELF,
    operator: "is",
    text: "",
  });
  const [lines, setLines] = useState<readonly Line[]>(() =>
    filter ? conditionsOf(filter).map((condition, key) => lineOf(condition, key, columns)) : [empty(0)],
  );
  const [isTried, setIsTried] = useState(false);
  const read = lines.map((line) => conditionIn(line));

  /** The column that a condition is about: of the class, or of the one that a pointer leads to. */
  function columnOf({ field, of }: Line): Column | undefined {
    const column = columns.find(({ name }) => name === field);
    return of === ITSELF ? column : targetsOf(column).find(({ name }) => name === of);
  }

  function operatorOf(line: Line): Operator {
    const column = columnOf(line);
    const known = column ? operatorsOf(column) : [];
    return known.includes(line.operator) ? line.operator : (known[0] ?? "there");
  }

  function conditionIn(line: Line): { condition: Condition; problem?: undefined } | { problem: string } {
    const column = columnOf(line);
    const operator = operatorOf(line);
    const base = { field: line.field, ...(line.of !== ITSELF && { of: line.of }), operator };
    if (!column || !needsValue(operator)) return { condition: base };
    const value = readTyped(line.text, column);
    return value.problem === undefined
      ? { condition: { ...base, value: value.value } }
      : { problem: value.problem };
  }

  function done(): void {
    setIsTried(true);
    const conditions: Condition[] = [];
    for (const each of read) {
      if (each.problem !== undefined) return;
      conditions.push(each.condition);
    }
    const [only] = conditions;
    if (conditions.length > 1) onDone({ any: conditions });
    else if (only) onDone(only);
  }

  const set = (key: number, change: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...change } : line)));
  return (
    <Ask
      open
      wide
      onClose={onClose}
      title={t("Filter the rows")}
      about={lines.length > 1 ? t("A row fulfils one of these at least.") : undefined}
      verb={filter ? t("Change") : t("Add")}
      busy={false}
      onDo={done}
    >
      {lines.map((line, i) => (
        <ConditionFields
          key={line.key}
          {...{ line, columns }}
          rank={lines.length > 1 ? i + 1 : undefined}
          targets={targetsOf(columns.find(({ name }) => name === line.field))}
          column={columnOf(line)}
          operator={operatorOf(line)}
          problem={isTried ? read[i]?.problem : undefined}
          onChange={(change) => set(line.key, change)}
          onRemove={
            lines.length > 1 ? () => setLines(lines.filter(({ key }) => key !== line.key)) : undefined
          }
        />
      ))}
      <div className="row">
        <Button
          small
          onClick={() => setLines([...lines, empty(1 + Math.max(...lines.map(({ key }) => key)))])}
        >
          <Plus size={15} aria-hidden="true" />
          {t("Or another condition")}
        </Button>
      </div>
    </Ask>
  );
}

function ConditionFields({
  line,
  columns,
  rank,
  targets,
  column,
  operator,
  problem,
  onChange,
  onRemove,
}: {
  line: Line;
  columns: readonly Column[];
  /** Where there are several. */
  rank: number | undefined;
  targets: readonly Column[];
  column: Column | undefined;
  operator: Operator;
  problem: string | undefined;
  onChange: (change: Partial<Line>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const words = useOperatorWords();
  const named = (label: string) => (rank === undefined ? label : `${label} ${rank}`);
  return (
    <fieldset className="filter-line">
      <legend className="visually-hidden">{named(t("Condition"))}</legend>
      <Select
        label={named(t("Field"))}
        value={line.field}
        onChange={(field) => onChange({ field, of: ITSELF, text: "" })}
        options={columns.map(({ name }) => ({ key: name, label: name }))}
      />
      {targets.length > 0 && (
        <Select
          label={named(t("Field of {name}", { name: line.field }))}
          value={line.of}
          onChange={(of) => onChange({ of, text: "" })}
          options={[
            { key: ITSELF, label: t("the row itself") },
            ...targets.map(({ name }) => ({ key: name, label: name })),
          ]}
        />
      )}
      <Select
        label={named(t("Condition"))}
        value={operator}
        onChange={(to) => onChange({ operator: to })}
        options={(column ? operatorsOf(column) : []).map((key) => ({ key, label: words[key] }))}
      />
      {needsValue(operator) && (
        <Field
          label={named(t("Value"))}
          value={line.text}
          onChange={(event) => onChange({ text: event.target.value })}
          problem={problem}
          hint={column?.targetClass ?? column?.type}
          autoComplete="off"
        />
      )}
      {onRemove && (
        <button
          type="button"
          className="icon-button"
          aria-label={t("Leave condition {n} out", { n: rank ?? 1 })}
          onClick={onRemove}
        >
          <X size={16} aria-hidden="true" />
        </button>
      )}
    </fieldset>
  );
}

/** The fields of the class that a column points to, as far as they can be asked. */
function useTargets(): (column: Column | undefined) => Column[] {
  const classes = useClasses();
  return (column) => {
    if (column?.type !== "Pointer") return [];
    const target = classes.data?.find(({ className }) => className === column.targetClass);
    return target
      ? columnsOf(target, NO_LAYOUT).filter(({ type }) => type !== "Relation" && type !== "ACL")
      : [];
  };
}

function lineOf(condition: Condition, key: number, columns: readonly Column[]): Line {
  const { field, of = ITSELF, operator, value } = condition;
  const column = columns.find(({ name }) => name === field);
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isText ? String(value) : column && of === ITSELF ? typedOf(value, column) : "";
  return { key, field, of, operator, text };
}

export function useOperatorWords(): Record<Operator, string> {
  const { t } = useTranslation();
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

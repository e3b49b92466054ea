import { Button, ConfirmDialog, Field, IconButton, Select, useTranslation } from "@purse/ui";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useClasses } from "../../components/classes.ts";
import { type Column, columnsOf } from "./columns.ts";
import {
  type Condition,
  conditionsOf,
  type Filter,
  type FilterOperator,
  needsValue,
  operatorsOf,
} from "./filters.ts";
import { editableText, parseValue } from "./parseValue.ts";

/** Selects the pointer itself rather than a field of its target. */
const SELF = "";
const EMPTY_LAYOUT = { order: [], widths: {}, hidden: [], pinned: [] };

interface Line {
  key: number;
  field: string;
  of: string;
  operator: FilterOperator;
  text: string;
}

/** Edits a filter: one condition, or several joined by "or". */
export function FilterForm({
  columns,
  filter,
  onDone,
  onClose,
}: {
  columns: readonly Column[];
  /** The filter to edit; undefined creates one. */
  filter: Filter | undefined;
  onDone: (filter: Filter) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const targetsOf = useTargets();
  const emptyLine = (key: number): Line => ({
    key,
    field: columns[0]?.name ?? "",
    of: SELF,
    operator: "is",
    text: "",
  });
  const [lines, setLines] = useState<readonly Line[]>(() =>
    filter ? conditionsOf(filter).map((condition, key) => lineOf(condition, key, columns)) : [emptyLine(0)],
  );
  const [isSubmitted, setSubmitted] = useState(false);
  const parsed = lines.map((line) => parseLine(line));

  /** The column of a condition: of the class, or of the pointer's target class. */
  function columnOf({ field, of }: Line): Column | undefined {
    const column = columns.find(({ name }) => name === field);
    return of === SELF ? column : targetsOf(column).find(({ name }) => name === of);
  }

  function operatorOf(line: Line): FilterOperator {
    const column = columnOf(line);
    const available = column ? operatorsOf(column) : [];
    return available.includes(line.operator) ? line.operator : (available[0] ?? "there");
  }

  function parseLine(line: Line): { condition: Condition; problem?: undefined } | { problem: string } {
    const column = columnOf(line);
    const operator = operatorOf(line);
    const base = { field: line.field, ...(line.of !== SELF && { of: line.of }), operator };
    if (!column || !needsValue(operator)) return { condition: base };
    const value = parseValue(line.text, column);
    return value.problem === undefined
      ? { condition: { ...base, value: value.value } }
      : { problem: value.problem };
  }

  function submit(): void {
    setSubmitted(true);
    const conditions: Condition[] = [];
    for (const each of parsed) {
      if (each.problem !== undefined) return;
      conditions.push(each.condition);
    }
    const [first] = conditions;
    if (conditions.length > 1) onDone({ any: conditions });
    else if (first) onDone(first);
  }

  const set = (key: number, change: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...change } : line)));
  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={t("Filter rows")}
      description={lines.length > 1 ? t("Rows match if at least one condition is true.") : undefined}
      confirmLabel={filter ? t("Apply") : t("Add")}
      onConfirm={submit}
    >
      {lines.map((line, i) => (
        <ConditionFields
          key={line.key}
          {...{ line, columns }}
          position={lines.length > 1 ? i + 1 : undefined}
          targets={targetsOf(columns.find(({ name }) => name === line.field))}
          column={columnOf(line)}
          operator={operatorOf(line)}
          problem={isSubmitted ? parsed[i]?.problem : undefined}
          onChange={(change) => set(line.key, change)}
          onRemove={
            lines.length > 1 ? () => setLines(lines.filter(({ key }) => key !== line.key)) : undefined
          }
        />
      ))}
      <div className="row">
        <Button
          small
          onClick={() => setLines([...lines, emptyLine(1 + Math.max(...lines.map(({ key }) => key)))])}
        >
          <Plus size={15} aria-hidden="true" />
          {t("Add “or” condition")}
        </Button>
      </div>
    </ConfirmDialog>
  );
}

function ConditionFields({
  line,
  columns,
  position,
  targets,
  column,
  operator,
  problem,
  onChange,
  onRemove,
}: {
  line: Line;
  columns: readonly Column[];
  /** 1-based, if there are several conditions. */
  position: number | undefined;
  targets: readonly Column[];
  column: Column | undefined;
  operator: FilterOperator;
  problem: string | undefined;
  onChange: (change: Partial<Line>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const operatorLabels = useOperatorLabels();
  const withPosition = (label: string) => (position === undefined ? label : `${label} ${position}`);
  return (
    <fieldset className="filter-line">
      <legend className="visually-hidden">{withPosition(t("Condition"))}</legend>
      <Select
        label={withPosition(t("Field"))}
        value={line.field}
        onChange={(field) => onChange({ field, of: SELF, text: "" })}
        options={columns.map(({ name }) => ({ key: name, label: name }))}
      />
      {targets.length > 0 && (
        <Select
          label={withPosition(t("Field of {name}", { name: line.field }))}
          value={line.of}
          onChange={(of) => onChange({ of, text: "" })}
          options={[
            { key: SELF, label: t("this row") },
            ...targets.map(({ name }) => ({ key: name, label: name })),
          ]}
        />
      )}
      <Select
        label={withPosition(t("Condition"))}
        value={operator}
        onChange={(to) => onChange({ operator: to })}
        options={(column ? operatorsOf(column) : []).map((key) => ({ key, label: operatorLabels[key] }))}
      />
      {needsValue(operator) && (
        <Field
          label={withPosition(t("Value"))}
          value={line.text}
          onChange={(event) => onChange({ text: event.target.value })}
          problem={problem}
          hint={column?.targetClass ?? column?.type}
          autoComplete="off"
        />
      )}
      {onRemove && (
        <IconButton
          icon={X}
          label={t("Remove condition {n, number}", { n: position ?? 1 })}
          onClick={onRemove}
        />
      )}
    </fieldset>
  );
}

/** The filterable fields of a pointer's target class. */
function useTargets(): (column: Column | undefined) => Column[] {
  const classes = useClasses();
  return (column) => {
    if (column?.type !== "Pointer") return [];
    const target = classes.data?.find(({ className }) => className === column.targetClass);
    return target
      ? columnsOf(target, EMPTY_LAYOUT).filter(({ type }) => type !== "Relation" && type !== "ACL")
      : [];
  };
}

function lineOf(condition: Condition, key: number, columns: readonly Column[]): Line {
  const { field, of = SELF, operator, value } = condition;
  const column = columns.find(({ name }) => name === field);
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isText ? String(value) : column && of === SELF ? editableText(value, column) : "";
  return { key, field, of, operator, text };
}

export function useOperatorLabels(): Record<FilterOperator, string> {
  const { t } = useTranslation();
  return {
    is: t("is"),
    isNot: t("is not"),
    less: t("is less than"),
    most: t("is at most"),
    more: t("is greater than"),
    least: t("is at least"),
    contains: t("contains"),
    begins: t("starts with"),
    there: t("has a value"),
    missing: t("has no value"),
  };
}

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/Button.tsx";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { Field } from "../components/Field.tsx";
import { IconButton } from "../components/IconButton.tsx";
import { Select } from "../components/Select.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { useDataSource } from "./DataSource.ts";
import { type DataField, isFilterable } from "./fields.ts";
import { conditionsOf, needsValue, operatorsOf } from "./filterQueries.ts";
import type { Condition, Filter, FilterOperator } from "./filters.ts";
import { editableText, parseValue } from "./parseValue.ts";

/** Selects the pointer itself rather than a field of its target. */
const SELF = "";

/** A condition as it is entered. */
interface Line {
  key: number;
  field: string;
  of: string;
  operator: FilterOperator;
  text: string;
}

/** A line with what can be chosen in it. */
interface ResolvedLine {
  /** The compared field: of the class, or of the pointer's target class. */
  field: DataField | undefined;
  /** The fields of the pointer's target class. */
  targets: readonly DataField[];
  operator: FilterOperator;
  condition: Condition;
  problem?: string;
}

export interface FilterFormProps {
  fields: readonly DataField[];
  /** The filter to edit; undefined creates one. */
  filter: Filter | undefined;
  confirmLabel: string;
  onDone: (filter: Filter) => void;
  onClose: () => void;
}

/** Edits a filter: one condition, or several joined by "or". */
export function FilterForm({ fields, filter, confirmLabel, onDone, onClose }: FilterFormProps) {
  const { t } = useTranslation();
  const { classes } = useDataSource();
  const emptyLine = (key: number): Line => ({
    key,
    field: fields[0]?.name ?? "",
    of: SELF,
    operator: "is",
    text: "",
  });
  const [lines, setLines] = useState<readonly Line[]>(() =>
    filter ? conditionsOf(filter).map((condition, key) => lineOf(condition, key, fields)) : [emptyLine(0)],
  );
  const [isSubmitted, setSubmitted] = useState(false);
  const resolved = lines.map(resolve);

  function resolve({ field: name, of, operator: chosen, text }: Line): ResolvedLine {
    const own = fields.find((each) => each.name === name);
    const target = classes.data?.find(({ className }) => className === own?.targetClass);
    const targets = own?.type === "Pointer" ? (target?.fields.filter(isFilterable) ?? []) : [];
    const field = of === SELF ? own : targets.find((each) => each.name === of);
    const operators = field ? operatorsOf(field) : [];
    const operator = operators.includes(chosen) ? chosen : (operators[0] ?? "there");
    const condition = { field: name, ...(of !== SELF && { of }), operator };
    if (!field || !needsValue(operator)) return { field, targets, operator, condition };
    const parsed = parseValue(text, field);
    return parsed.problem === undefined
      ? { field, targets, operator, condition: { ...condition, value: parsed.value } }
      : { field, targets, operator, condition, problem: parsed.problem };
  }

  function submit(): void {
    setSubmitted(true);
    if (resolved.some(({ problem }) => problem !== undefined)) return;
    const [first, ...others] = resolved.map(({ condition }) => condition);
    if (first) onDone(others.length > 0 ? { any: [first, ...others] } : first);
  }

  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={filter ? t("Edit filter") : t("Add filter")}
      description={lines.length > 1 ? t("Rows match if at least one condition is true.") : undefined}
      confirmLabel={confirmLabel}
      onConfirm={submit}
    >
      {resolved.map((line, i) => {
        const { key = i, ...input } = lines[i] ?? emptyLine(i);
        return (
          <ConditionFields
            key={key}
            {...{ line, input, fields }}
            position={lines.length > 1 ? i + 1 : undefined}
            problem={isSubmitted ? line.problem : undefined}
            onChange={(change) =>
              setLines(lines.map((each) => (each.key === key ? { ...each, ...change } : each)))
            }
            onRemove={() => setLines(lines.filter((each) => each.key !== key))}
          />
        );
      })}
      <div className="row">
        <Button
          icon={Plus}
          small
          onClick={() => setLines([...lines, emptyLine(1 + Math.max(...lines.map(({ key }) => key)))])}
        >
          {t("Add “or” condition")}
        </Button>
      </div>
    </ConfirmDialog>
  );
}

function ConditionFields({
  line: { field, targets, operator },
  input,
  fields,
  position,
  problem,
  onChange,
  onRemove,
}: {
  line: ResolvedLine;
  input: Omit<Line, "key">;
  fields: readonly DataField[];
  /** 1-based, if there are several conditions. */
  position: number | undefined;
  problem: string | undefined;
  onChange: (change: Partial<Line>) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const operatorLabels = useOperatorLabels();
  const withPosition = (label: string) => (position === undefined ? label : `${label} ${position}`);
  return (
    <fieldset className="field-line">
      <legend className="visually-hidden">{withPosition(t("Condition"))}</legend>
      <Select
        label={withPosition(t("Field"))}
        value={input.field}
        onChange={(name) => onChange({ field: name, of: SELF, text: "" })}
        options={fields.map(({ name }) => ({ key: name, label: name }))}
      />
      {targets.length > 0 && (
        <Select
          label={withPosition(t("Field of {name}", { name: input.field }))}
          value={input.of}
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
        options={(field ? operatorsOf(field) : []).map((key) => ({ key, label: operatorLabels[key] }))}
      />
      {needsValue(operator) && (
        <Field
          label={withPosition(t("Value"))}
          value={input.text}
          onText={(to) => onChange({ text: to })}
          problem={problem}
          hint={field?.targetClass ?? field?.type}
          autoComplete="off"
        />
      )}
      {position !== undefined && (
        <IconButton icon={X} label={t("Remove condition {n, number}", { n: position })} onClick={onRemove} />
      )}
    </fieldset>
  );
}

function lineOf(condition: Condition, key: number, fields: readonly DataField[]): Line {
  const { field, of = SELF, operator, value } = condition;
  const own = fields.find(({ name }) => name === field);
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isText ? String(value) : own && of === SELF ? editableText(value, own) : "";
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

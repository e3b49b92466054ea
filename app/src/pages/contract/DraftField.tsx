import { useContext } from "react";
import type { AbiParameter } from "viem";
import { Button } from "../../design/Button.tsx";
import { Select } from "../../design/Choice.tsx";
import { Field } from "../../design/Field.tsx";
import {
  type Draft,
  type DraftProblem,
  emptyDraft,
  itemOf,
  partsOf,
  splitUnit,
  UNITS,
} from "../../money/abiDraft.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { TokenUnit } from "./TokenUnit.ts";

export interface DraftFieldProps {
  parameter: AbiParameter;
  draft: Draft;
  /** As `readDraft` names it. */
  place: string;
  problem: DraftProblem | undefined;
  onChange: (draft: Draft) => void;
}

/** The form of one input, whatever its type: tuples and arrays have the forms of their parts in them. */
export function DraftField({ parameter, draft, place, problem, onChange }: DraftFieldProps) {
  const { t } = useTexts();
  const parts = partsOf(parameter);
  const array = itemOf(parameter);
  const name = place.split(".").at(-1) ?? place;
  const label = `${name} (${typeInWords(parameter)})`;
  if (parts && Array.isArray(draft)) {
    return (
      <fieldset className="draft-group">
        <legend>{label}</legend>
        {parts.map((part, i) => {
          const inner = `${place}.${part.name || i}`;
          return (
            <DraftField
              key={inner}
              parameter={part}
              draft={draft[i] ?? ""}
              place={inner}
              problem={problem}
              onChange={(next) => onChange(draft.with(i, next))}
            />
          );
        })}
      </fieldset>
    );
  }
  if (array && Array.isArray(draft)) {
    return (
      <fieldset className="draft-group">
        <legend>{label}</legend>
        {draft.map((each, i) => {
          const inner = `${place}[${i}]`;
          return (
            <div key={inner} className="draft-item">
              <DraftField
                parameter={array.item}
                draft={each}
                place={inner}
                problem={problem}
                onChange={(next) => onChange(draft.with(i, next))}
              />
              {array.length === null && (
                <Button
                  small
                  look="quiet"
                  aria-label={t("Remove {what}", { what: inner })}
                  onClick={() => onChange(draft.toSpliced(i, 1))}
                >
                  ✕
                </Button>
              )}
            </div>
          );
        })}
        {array.length === null && (
          <Button small onClick={() => onChange([...draft, emptyDraft(array.item)])}>
            {t("Add to {what}", { what: name })}
          </Button>
        )}
      </fieldset>
    );
  }
  const text = typeof draft === "string" ? draft : "";
  if (parameter.type === "bool") {
    return (
      <Select
        label={label}
        options={[
          { key: "false", label: "false" },
          { key: "true", label: "true" },
        ]}
        value={text === "true" ? "true" : "false"}
        onChange={onChange}
      />
    );
  }
  return (
    <Field
      label={label}
      value={text}
      onChange={(event) => onChange(event.target.value)}
      spellCheck={false}
      autoComplete="off"
      placeholder={placeholderFor(parameter.type)}
      problem={problem?.place === place ? t(problem.message) : undefined}
      after={
        /^u?int(\d{3})?$/.test(parameter.type) ? (
          <Unit text={text} onChange={onChange} label={name} />
        ) : undefined
      }
    />
  );
}

/** Amounts are typed in ether or whole tokens as people have them, and sent in the smallest unit. */
function Unit({ text, label, onChange }: { text: string; label: string; onChange: (text: string) => void }) {
  const { t } = useTexts();
  const decimals = useContext(TokenUnit);
  const { number, unit } = splitUnit(text);
  const own =
    decimals === undefined || Object.values(UNITS).includes(decimals)
      ? []
      : [{ key: `e${decimals}`, label: t("token, {n} decimals", { n: decimals }) }];
  const known = [...own, ...Object.keys(UNITS).map((key) => ({ key, label: key }))];
  return (
    <Select
      label={t("Unit of {what}", { what: label })}
      hideLabel
      options={known.some(({ key }) => key === unit) ? known : [...known, { key: unit, label: unit }]}
      value={unit}
      onChange={(chosen) => onChange(chosen === "wei" ? number : `${number} ${chosen}`)}
    />
  );
}

/** The type, and for an enum its name: how many values it has no ABI tells. */
function typeInWords({ type, internalType }: AbiParameter): string {
  const [, name] = /^enum (?:\w+\.)?(\w+)$/.exec(internalType ?? "") ?? [];
  return name ? `${type}, enum ${name}` : type;
}

function placeholderFor(type: string): string {
  if (type === "address" || type.startsWith("bytes")) return "0x…";
  return /^u?int/.test(type) ? "0" : "";
}

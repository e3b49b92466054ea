import { Button, Field, Select, useTranslation } from "@purse/ui";
import { useContext } from "react";
import type { AbiParameter } from "viem";
import {
  arrayItem,
  type Draft,
  type DraftError,
  emptyDraft,
  joinUnit,
  splitUnit,
  tupleComponents,
  UNITS,
} from "../../money/abiDraft.ts";
import { AddressField } from "./AddressField.tsx";
import { CalledToken } from "./CalledToken.ts";

export interface DraftFieldProps {
  parameter: AbiParameter;
  draft: Draft;
  /** The path that `parseDraft` reports. */
  path: string;
  problem: DraftError | undefined;
  onChange: (draft: Draft) => void;
  /** Called with the address of a name that was entered. */
  onResolved: (name: string, address: string) => void;
}

/** The form field of an input of any type; tuples and arrays are nested. */
export function DraftField({ parameter, draft, path, problem, onChange, onResolved }: DraftFieldProps) {
  const { t } = useTranslation();
  const components = tupleComponents(parameter);
  const array = arrayItem(parameter);
  const name = path.split(".").at(-1) ?? path;
  const label = `${name} (${typeLabel(parameter)})`;
  if (components && Array.isArray(draft)) {
    return (
      <fieldset className="draft-group">
        <legend>{label}</legend>
        {components.map((component, i) => {
          const innerPath = `${path}.${component.name || i}`;
          return (
            <DraftField
              key={innerPath}
              parameter={component}
              draft={draft[i] ?? ""}
              path={innerPath}
              problem={problem}
              onChange={(next) => onChange(draft.with(i, next))}
              onResolved={onResolved}
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
          const innerPath = `${path}[${i}]`;
          return (
            <div key={innerPath} className="draft-item">
              <DraftField
                parameter={array.item}
                draft={each}
                path={innerPath}
                problem={problem}
                onChange={(next) => onChange(draft.with(i, next))}
                onResolved={onResolved}
              />
              {array.length === null && (
                <Button
                  small
                  variant="quiet"
                  aria-label={t("Remove {what}", { what: innerPath })}
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
  if (parameter.type === "address") {
    return (
      <AddressField
        label={label}
        value={text}
        onChange={onChange}
        onResolved={onResolved}
        problem={problem?.path === path ? t(problem.message) : undefined}
      />
    );
  }
  const hasUnit = /^u?int(\d{3})?$/.test(parameter.type);
  const { number, unit } = splitUnit(text);
  return (
    <Field
      label={label}
      value={hasUnit ? number : text}
      onText={(typed) => onChange(hasUnit ? joinUnit(typed, unit) : typed)}
      isCode
      placeholder={placeholderFor(parameter.type)}
      problem={problem?.path === path ? t(problem.message) : undefined}
      after={hasUnit ? <UnitSelect text={text} onChange={onChange} label={name} /> : undefined}
    />
  );
}

interface UnitSelectProps {
  text: string;
  label: string;
  onChange: (text: string) => void;
}

/** Selects the unit of an amount. Amounts are sent in the smallest unit. */
function UnitSelect({ text, label, onChange }: UnitSelectProps) {
  const { t } = useTranslation();
  const token = useContext(CalledToken);
  const { number, unit } = splitUnit(text);
  // Those of the coin would be wrong by powers of ten for most tokens.
  const known = token
    ? [
        { key: "wei", label: t("smallest unit") },
        { key: `e${token.decimals}`, label: token.symbol.slice(0, 12) || t("token") },
      ]
    : Object.keys(UNITS).map((key) => ({ key, label: key }));
  return (
    <Select
      label={t("Unit of {what}", { what: label })}
      hideLabel
      options={known.some(({ key }) => key === unit) ? known : [...known, { key: unit, label: unit }]}
      value={unit}
      onChange={(chosen) => onChange(joinUnit(number, chosen))}
    />
  );
}

/** The type, with the name of an enum; ABIs do not contain enum values. */
function typeLabel({ type, internalType }: AbiParameter): string {
  const [, name] = /^enum (?:\w+\.)?(\w+)$/.exec(internalType ?? "") ?? [];
  return name ? `${type}, enum ${name}` : type;
}

function placeholderFor(type: string): string {
  if (type.startsWith("bytes")) return "0x…";
  return /^u?int/.test(type) ? "0" : "";
}

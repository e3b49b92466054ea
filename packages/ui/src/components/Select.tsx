import { Select as BaseSelect } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { useId } from "react";
import "./Select.css";

interface SelectOption<K extends string> {
  key: K;
  label: string;
}

export interface SelectProps<K extends string> {
  label: string;
  /** Hides the label visually where the context is clear; screen readers still announce it. */
  hideLabel?: boolean;
  /** A list, or the labels by key, of which those of whole numbers come first. */
  options: readonly SelectOption<K>[] | Readonly<Record<K, string>>;
  value: K;
  onChange: (key: K) => void;
  disabled?: boolean;
}

/** A select input. */
export function Select<K extends string>(props: SelectProps<K>) {
  const { label, hideLabel, value, onChange, disabled } = props;
  const options = toList(props.options);
  const id = useId();
  return (
    <div className="field">
      <span id={id} className={hideLabel ? "visually-hidden" : "label"}>
        {label}
      </span>
      <BaseSelect.Root
        items={options.map((option) => ({ value: option.key, label: option.label }))}
        value={value}
        onValueChange={(chosen) => chosen !== null && onChange(chosen)}
        disabled={disabled ?? false}
      >
        <BaseSelect.Trigger className="button select" aria-labelledby={id}>
          <BaseSelect.Value />
          <BaseSelect.Icon>
            <ChevronDown size={16} aria-hidden="true" />
          </BaseSelect.Icon>
        </BaseSelect.Trigger>
        <BaseSelect.Portal>
          <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} style={{ zIndex: 45 }}>
            <BaseSelect.Popup className="menu">
              {options.map((option) => (
                <BaseSelect.Item key={option.key} value={option.key} className="menu-item">
                  <BaseSelect.ItemText className="grow">{option.label}</BaseSelect.ItemText>
                  <BaseSelect.ItemIndicator>
                    <Check size={16} aria-hidden="true" />
                  </BaseSelect.ItemIndicator>
                </BaseSelect.Item>
              ))}
            </BaseSelect.Popup>
          </BaseSelect.Positioner>
        </BaseSelect.Portal>
      </BaseSelect.Root>
    </div>
  );
}

function toList<K extends string>(options: SelectProps<K>["options"]): readonly SelectOption<K>[] {
  if (isList(options)) return options;
  const list: SelectOption<K>[] = [];
  for (const key in options) list.push({ key, label: options[key] });
  return list;
}

function isList<Item>(options: readonly Item[] | object): options is readonly Item[] {
  return Array.isArray(options);
}

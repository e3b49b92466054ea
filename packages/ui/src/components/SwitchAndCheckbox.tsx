import { Checkbox as BaseCheckbox } from "@base-ui/react/checkbox";
import { Switch as BaseSwitch } from "@base-ui/react/switch";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import "./SwitchAndCheckbox.css";

interface ToggleProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** A toggle that takes effect immediately. */
export function Switch({ label, checked, onChange, disabled }: ToggleProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is the control.
    <label className="choice">
      <BaseSwitch.Root
        className="switch"
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
      >
        <BaseSwitch.Thumb className="switch-thumb" />
      </BaseSwitch.Root>
      <span>{label}</span>
    </label>
  );
}

/** A checkbox that takes effect on submit. */
export function Checkbox({ label, checked, onChange, disabled }: ToggleProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside is the control.
    <label className="choice">
      <BaseCheckbox.Root
        className="checkbox"
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
      >
        <BaseCheckbox.Indicator>
          <Check size={15} strokeWidth={3} aria-hidden="true" />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span>{label}</span>
    </label>
  );
}

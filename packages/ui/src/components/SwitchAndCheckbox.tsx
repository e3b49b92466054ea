import type { ReactNode } from "react";
import "./SwitchAndCheckbox.css";

interface ToggleProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** A toggle that takes effect immediately. */
export function Switch({ label, checked, onChange, disabled = false }: ToggleProps) {
  return (
    <label className="choice">
      <input
        type="checkbox"
        role="switch"
        className="switch"
        checked={checked}
        aria-checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        disabled={disabled}
      />
      <span>{label}</span>
    </label>
  );
}

/** A checkbox that takes effect on submit. */
export function Checkbox({ label, checked, onChange, disabled = false }: ToggleProps) {
  return (
    <label className="choice">
      <input
        type="checkbox"
        className="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        disabled={disabled}
      />
      <span>{label}</span>
    </label>
  );
}

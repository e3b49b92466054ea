import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes } from "react";

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  /** The accessible name. */
  label: string;
  /** Size of the icon in px. */
  size?: number;
}

/** A button with an icon only. */
export function IconButton({ icon: Icon, label, size = 16, ...rest }: IconButtonProps) {
  return (
    <button {...rest} type="button" className="icon-button" aria-label={label}>
      <Icon size={size} aria-hidden="true" />
    </button>
  );
}

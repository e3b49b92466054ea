import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, Ref } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: "primary" | "quiet" | "danger" | undefined;
  small?: boolean;
  /** Shown before the text. */
  icon?: LucideIcon;
  ref?: Ref<HTMLButtonElement>;
  /** Marks an action in progress and disables the button. */
  busy?: boolean;
}

export function Button(props: ButtonProps) {
  const { variant, small, icon: Icon, busy, className, disabled, type = "button", children, ...rest } = props;
  const classNames = ["button", variant, small && "small", className].filter(Boolean).join(" ");
  return (
    <button
      {...rest}
      type={type}
      className={classNames}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {Icon && <Icon size={small ? 15 : 16} aria-hidden="true" />}
      {children}
    </button>
  );
}

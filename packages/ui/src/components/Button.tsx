import type { ButtonHTMLAttributes, Ref } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: "primary" | "quiet" | "danger" | undefined;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
  /** Marks an action in progress and disables the button. */
  busy?: boolean;
}

export function Button({ variant, small, busy, className, disabled, type = "button", ...rest }: ButtonProps) {
  const classNames = ["button", variant, small && "small", className].filter(Boolean).join(" ");
  return (
    <button
      {...rest}
      type={type}
      className={classNames}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}

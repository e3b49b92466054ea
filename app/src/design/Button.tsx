import type { ButtonHTMLAttributes } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "primary" | "quiet" | "danger" | undefined;
  small?: boolean;
  /** Shows that what it started goes on; it cannot be pressed meanwhile. */
  busy?: boolean;
}

export function Button({ look, small, busy, className, disabled, type = "button", ...rest }: ButtonProps) {
  const names = ["button", look, small && "small", className].filter(Boolean).join(" ");
  return (
    <button
      {...rest}
      type={type}
      className={names}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}

import { Button } from "@purse/ui";
import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes } from "react";

export interface ToolButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  label: string;
  busy?: boolean;
}

/** A button of the toolbar of the grid, of which wide screens only show the icon. */
export function ToolButton({ icon: Icon, label, ...rest }: ToolButtonProps) {
  return (
    <Button icon={Icon} small title={label} {...rest}>
      <span className="tool-label">{label}</span>
    </Button>
  );
}

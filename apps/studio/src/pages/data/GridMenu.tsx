import { ContextMenu } from "@base-ui/react/context-menu";
import type { ReactNode } from "react";

export interface MenuEntry {
  label: string;
  /** Keyboard shortcut of the entry. */
  hint?: string;
  isDanger?: boolean;
  /** Not available for the selection. */
  isDisabled?: boolean;
  run: () => void;
}

export interface GridMenuProps {
  groups: readonly (readonly MenuEntry[])[];
  children: ReactNode;
}

/** The context menu of the grid. */
export function GridMenu({ groups, children }: GridMenuProps) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger className="grid-menu-area">{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner style={{ zIndex: 40 }}>
          <ContextMenu.Popup className="menu">
            {groups
              .filter((group) => group.length > 0)
              .map((group, i) => (
                <ContextMenu.Group key={group[0]?.label}>
                  {i > 0 && <ContextMenu.Separator className="menu-line" />}
                  {group.map(({ label, hint, isDanger, isDisabled, run }) => (
                    <ContextMenu.Item
                      key={label}
                      className="menu-item"
                      data-danger={isDanger || undefined}
                      disabled={isDisabled ?? false}
                      onClick={run}
                    >
                      <span className="grow">{label}</span>
                      {hint !== undefined && <kbd>{hint}</kbd>}
                    </ContextMenu.Item>
                  ))}
                </ContextMenu.Group>
              ))}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

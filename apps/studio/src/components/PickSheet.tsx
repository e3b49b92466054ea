import { Button, Dialog } from "@purse/ui";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useIsNarrow } from "./useIsNarrow.ts";

export interface PickSheetProps {
  /** What is picked, as title of the sheet. */
  label: string;
  /** The picked item; undefined if there is none. */
  picked: ReactNode;
  /** The list, whose items have the class `pick`. */
  children: ReactNode;
}

/** A list beside the picked item. On phones, it is a button that opens the list, which would leave no space for the item. */
export function PickSheet({ label, picked, children }: PickSheetProps) {
  const isNarrow = useIsNarrow();
  const [isOpen, setIsOpen] = useState(false);
  if (!isNarrow) return children;
  return (
    <>
      <Button className="pick-sheet" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <span className="soft small">{label}</span>
        <bdi className="grow">{picked}</bdi>
        <ChevronDown size={16} aria-hidden="true" />
      </Button>
      {isOpen && (
        <Dialog open onClose={() => setIsOpen(false)} title={label}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the items in it are buttons and links. */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above. */}
          <div
            className="pick-sheet-list"
            onClick={({ target }) => target instanceof Element && target.closest(".pick") && setIsOpen(false)}
          >
            {children}
          </div>
        </Dialog>
      )}
    </>
  );
}

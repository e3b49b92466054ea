import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useTexts } from "../texts/TextsContext.tsx";
import { type Command, matching } from "./commands.ts";
import "./CommandPalette.css";

export interface CommandPaletteProps {
  open: boolean;
  onClose: () => void;
  commands: readonly Command[];
  /** What else the words may mean, for example an address to look up. */
  suggest?: (words: string) => readonly Command[];
}

/** Everything that the app does, found by its name: Ctrl+K, or ⌘K. */
export function CommandPalette(props: CommandPaletteProps) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="palette">
          <Finder {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose, commands, suggest }: CommandPaletteProps) {
  const { t } = useTexts();
  const id = useId();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState(0);
  const found = useMemo(
    () => [...(suggest?.(words) ?? []), ...matching(commands, words)],
    [commands, suggest, words],
  );
  const current = Math.min(chosen, found.length - 1);
  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }
  function key(event: KeyboardEvent) {
    if (event.key === "Enter") {
      event.preventDefault();
      run(found[current]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    const next = (current + step + found.length) % found.length;
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
  }
  return (
    <>
      <Dialog.Title className="visually-hidden">{t("Commands")}</Dialog.Title>
      <div className="palette-input">
        <Search size={18} aria-hidden="true" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found[current] ? `${id}-${current}` : undefined}
          aria-label={t("Find a page, an action, an address, a block …")}
          placeholder={t("Find a page, an action, an address, a block …")}
          value={words}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setWords(event.target.value);
            setChosen(0);
          }}
          onKeyDown={key}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t("Commands")} className="palette-list">
        {found.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input moves through the list and runs the chosen one.
          <div
            key={command.key}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === current}
            className="menu-item palette-item"
            data-highlighted={i === current ? "" : undefined}
            onPointerMove={() => setChosen(i)}
            onClick={() => run(command)}
          >
            <span className="grow">{command.label}</span>
            {command.hint && <span className="soft small">{command.hint}</span>}
          </div>
        ))}
        {found.length === 0 && <p className="soft palette-none">{t("Nothing has that name.")}</p>}
      </div>
    </>
  );
}

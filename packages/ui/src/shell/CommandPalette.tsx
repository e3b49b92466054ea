import { useRouter } from "@tanstack/react-router";
import { History, Search } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { createPortal } from "react-dom";
import { NativeDialog } from "../components/NativeDialog.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { type Command, filterCommands, groupCommands } from "./commands.ts";
import { recentPages } from "./recentPages.ts";
import "./CommandPalette.css";

/** Recent pages that are shown at most. */
const MAX_RECENT = 5;

export interface CommandPaletteProps {
  onClose: () => void;
  commands: readonly Command[];
  /** Additional results for a query, for example an address. */
  suggest?: (query: string) => readonly Command[];
  /** Results after all others. */
  fallback?: (query: string) => readonly Command[];
  /** What can be searched, as label of the input. */
  searchLabel?: string | undefined;
}

/**
 * The command palette: Ctrl+K, or ⌘K. It is part of the first load, and a native dialog, which has the focus before the next
 * key is pressed: nothing that is typed after the shortcut is lost.
 */
export function CommandPalette(props: CommandPaletteProps) {
  const { t } = useTranslation();
  return createPortal(
    <NativeDialog className="palette" label={t("Commands")} onClose={props.onClose}>
      <CommandSearch {...props} />
    </NativeDialog>,
    document.body,
  );
}

function CommandSearch({ onClose, commands, suggest, fallback, searchLabel }: CommandPaletteProps) {
  const { t } = useTranslation();
  const label = searchLabel ?? t("Search pages, actions, addresses, blocks…");
  const id = useId();
  const [query, setQuery] = useState("");
  const [highlighted, setHighlighted] = useState(0);
  const { history } = useRouter();
  const groups = useMemo(
    () =>
      groupCommands([
        ...(query.trim() === "" ? recentCommands(commands, t("Recent pages"), history.push) : []),
        ...(suggest?.(query) ?? []),
        ...filterCommands(commands, query),
        ...(fallback?.(query) ?? []),
      ]),
    [commands, suggest, fallback, query, t, history],
  );
  const matches = groups.flatMap((group) => group.commands);
  const current = Math.min(highlighted, matches.length - 1);
  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }
  function handleKeyDown(event: KeyboardEvent) {
    // The keys choose among the words of an input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      run(matches[current]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || matches.length === 0) return;
    event.preventDefault();
    const next = (current + step + matches.length) % matches.length;
    setHighlighted(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
  }
  function renderOption(command: Command, i: number) {
    const { icon: Icon } = command;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard.
      <div
        key={command.key}
        id={`${id}-${i}`}
        role="option"
        tabIndex={-1}
        aria-selected={i === current}
        className="menu-item palette-item"
        data-highlighted={i === current ? "" : undefined}
        onPointerMove={() => setHighlighted(i)}
        onClick={() => run(command)}
      >
        {Icon && <Icon size={16} aria-hidden="true" />}
        <span className="grow">{command.label}</span>
        {command.hint && <span className="soft small">{command.hint}</span>}
      </div>
    );
  }
  return (
    <>
      <div className="palette-input">
        <Search size={18} aria-hidden="true" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={matches[current] ? `${id}-${current}` : undefined}
          aria-label={label}
          placeholder={label}
          value={query}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setQuery(event.target.value);
            setHighlighted(0);
          }}
          onKeyDown={handleKeyDown}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t("Commands")} className="palette-list">
        {groups.map(({ label, commands: members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox.
          <div key={label ?? ""} role="group" aria-label={label}>
            {label !== undefined && (
              <p className="palette-group soft small" aria-hidden="true">
                {label}
              </p>
            )}
            {members.map((command) => renderOption(command, matches.indexOf(command)))}
          </div>
        ))}
        {matches.length === 0 && <p className="soft palette-none">{t("No results")}</p>}
      </div>
    </>
  );
}

/** Recent pages that are not among the commands, such as a block or a class. */
function recentCommands(
  commands: readonly Command[],
  group: string,
  open: (href: string) => void,
): Command[] {
  return recentPages()
    .filter(({ title }) => commands.every(({ label }) => label !== title))
    .slice(0, MAX_RECENT)
    .map(({ href, title }) => ({
      key: `recent ${href}`,
      label: title,
      icon: History,
      group,
      run: () => open(href),
    }));
}

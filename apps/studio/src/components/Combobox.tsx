import type { JsonObject } from "@purse/protocol";
import type { StudioInput } from "@purse/server/studio-api";
import { escapeRegExp, useTranslation } from "@purse/ui";
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useId,
  useState,
} from "react";
import { stringField } from "./fields.ts";
import { useStudioQuery } from "./useStudioQuery.ts";
import "./Combobox.css";

/** Parameters of a list of rows, besides their class. */
export type RowsQuery = Omit<StudioInput<"GET", "/data/:className">, "className">;

interface ComboboxOption {
  key: string;
  label: string;
  /** Secondary text. */
  description?: string;
}

export interface ComboboxProps {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** Key of the selected option; empty for none. */
  value: string;
  /** Shown while the user is not typing: the label of the selected option. */
  displayValue: string;
  onChange: (key: string) => void;
  /** Class and query of the rows. */
  className: string;
  buildQuery: (text: string) => RowsQuery;
  toOption: (row: JsonObject) => ComboboxOption;
  /** Accepts keys that match no row. */
  allowsCustomValue?: boolean;
  disabled?: boolean;
}

/** Searches rows while typing. Arrow keys and Enter select, Escape restores the previous value. */
export function Combobox(props: ComboboxProps) {
  const {
    label,
    hint,
    placeholder,
    value,
    displayValue,
    onChange,
    className,
    buildQuery,
    toOption,
    disabled,
  } = props;
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const [highlighted, setHighlighted] = useState(0);
  // Enter was pressed before the rows for the text had arrived.
  const [isEntered, setEntered] = useState(false);
  const text = (typed ?? "").trim();
  const searchText = useDeferredValue(text);
  const search = useStudioQuery(
    "/data/:className",
    { className, ...buildQuery(searchText), limit: 8 },
    { enabled: isOpen },
  );
  const options = search.data?.results.map(toOption) ?? [];
  const current = Math.min(highlighted, options.length - 1);
  const isSearching = searchText !== text || (search.data === undefined && search.error === null);

  const chooseEntered = useEffectEvent(() => {
    setEntered(false);
    chooseCurrent();
  });
  useEffect(() => {
    if (isEntered && !isSearching) chooseEntered();
  }, [isEntered, isSearching]);

  function choose(key: string): void {
    onChange(key);
    close();
  }

  function close(): void {
    setTyped(undefined);
    setOpen(false);
    setHighlighted(0);
    setEntered(false);
  }

  function chooseCurrent(): void {
    const chosen = options[current];
    if (chosen) choose(chosen.key);
    else if (props.allowsCustomValue && text !== "") choose(text);
  }

  function keyDown(event: KeyboardEvent): void {
    // The keys choose among the words of an input method.
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setOpen(true);
      else if (options.length > 0) setHighlighted((current + step + options.length) % options.length);
    } else if (event.key === "Enter" && isOpen) {
      // Enter must not submit the form while the list is open.
      event.preventDefault();
      if (typed === "") choose("");
      else if (isSearching) setEntered(true);
      else chooseCurrent();
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  function handleBlur(): void {
    if (typed === "" && value !== "") choose("");
    else if (props.allowsCustomValue && text !== "") choose(text);
    else close();
  }

  return (
    <div className="field grow combobox">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        <input
          id={id}
          className="grow"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={isOpen && options.length > 0 ? `${id}-list` : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && options[current] ? `${id}-${current}` : undefined}
          aria-describedby={hint ? `${id}-hint` : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={placeholder}
          disabled={disabled}
          value={typed ?? displayValue}
          onFocus={(event) => {
            event.target.select();
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setTyped(event.target.value);
            setOpen(true);
            setHighlighted(0);
            setEntered(false);
          }}
          onKeyDown={keyDown}
          onBlur={handleBlur}
        />
      </div>
      {isOpen && options.length > 0 && (
        <div className="menu combobox-list" id={`${id}-list`} role="listbox" aria-label={label}>
          {options.map((each, i) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and says which one is active.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's.
            <div
              key={each.key}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === current}
              className="menu-item"
              data-highlighted={i === current || undefined}
              // Keeps the focus in the input, so that the list stays open.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(each.key)}
            >
              <bdi className="grow clip">{each.label}</bdi>
              {each.description !== undefined && <bdi className="soft small clip">{each.description}</bdi>}
            </div>
          ))}
        </div>
      )}
      {isOpen && options.length === 0 && (
        <p className="menu combobox-list soft small" role="status">
          {search.error ? t("Server unreachable") : search.isPending ? t("Searching…") : t("No results")}
        </p>
      )}
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
    </div>
  );
}

export interface UserComboboxProps {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** Id of the user; empty for none. */
  value: string;
  onChange: (userId: string) => void;
  disabled?: boolean;
}

/** Finds a user by username prefix or id. */
export function UserCombobox(props: UserComboboxProps) {
  const names = useUserNames(props.value === "" ? [] : [props.value]);
  return (
    <Combobox
      {...props}
      displayValue={names.get(props.value) ?? props.value}
      className="_User"
      buildQuery={userQuery}
      toOption={(row) => ({
        key: stringField(row, "objectId"),
        label: stringField(row, "username"),
        description: stringField(row, "objectId"),
      })}
    />
  );
}

function userQuery(text: string): RowsQuery {
  if (text === "") return { keys: "username", order: "username" };
  const byName: JsonObject = { username: { $regex: prefixPattern(text) } };
  const byId: JsonObject = { objectId: text };
  return { keys: "username", order: "username", where: { $or: [byName, byId] } };
}

/** Usernames by user id, as far as they are loaded. */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const search = useStudioQuery(
    "/data/:className",
    { className: "_User", where: { objectId: { $in: ids.toSorted() } }, keys: "username", limit: 1_000 },
    { enabled: ids.length > 0 },
  );
  const rows = search.data?.results ?? [];
  return new Map(rows.map((row) => [stringField(row, "objectId"), stringField(row, "username")]));
}

/** A `$regex` pattern that matches a prefix. */
export function prefixPattern(text: string): string {
  return `^${escapeRegExp(text)}`;
}

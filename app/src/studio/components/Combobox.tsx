import type { JsonObject, StudioPage } from "@purse/protocol";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from "react";
import { useTexts } from "../../texts/TextsContext.tsx";
import type { Query } from "../api.ts";
import { stringField } from "./fields.ts";
import { useStudioQuery } from "./queries.ts";
import "./Combobox.css";

export interface ComboboxOption {
  key: string;
  label: string;
  /** Beside the label. */
  about?: string;
}

export interface ComboboxProps {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** The key of what is chosen; empty for none. */
  value: string;
  /** What stands in the field while nothing is typed: the label of what is chosen. */
  displayValue: string;
  onChange: (key: string) => void;
  /** Where rows are found, and how they are asked for. */
  path: string;
  buildQuery: (text: string) => Query;
  toOption: (row: JsonObject) => ComboboxOption;
  /** A key may be typed that nothing is found for. */
  allowsCustomValue?: boolean;
  disabled?: boolean;
}

/** A row that is looked for by typing; arrows and Enter choose, Escape leaves it as it was. */
export function Combobox(props: ComboboxProps) {
  const { label, hint, placeholder, value, displayValue, onChange, path, buildQuery, toOption, disabled } =
    props;
  const { t } = useTexts();
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const [highlighted, setHighlighted] = useState(0);
  const searchText = useDeferredValue((typed ?? "").trim());
  const search = useStudioQuery<StudioPage<JsonObject>>(path, {
    query: { ...buildQuery(searchText), limit: 8 },
    enabled: isOpen,
  });
  const options = search.data?.results.map(toOption) ?? [];
  const current = Math.min(highlighted, options.length - 1);

  function choose(key: string): void {
    onChange(key);
    close();
  }

  function close(): void {
    setTyped(undefined);
    setOpen(false);
    setHighlighted(0);
  }

  function keyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setOpen(true);
      else if (options.length > 0) setHighlighted((current + step + options.length) % options.length);
    } else if (event.key === "Enter" && isOpen) {
      // Nothing is sent off while somebody is choosing.
      event.preventDefault();
      const text = (typed ?? "").trim();
      const chosen = options[current];
      if (typed === "") choose("");
      else if (chosen) choose(chosen.key);
      else if (props.allowsCustomValue && text !== "") choose(text);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  function handleBlur(): void {
    const text = (typed ?? "").trim();
    if (typed === "" && value !== "") choose("");
    else if (props.allowsCustomValue && text !== "") choose(text);
    else close();
  }

  return (
    <div className="field grow finder">
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
          }}
          onKeyDown={keyDown}
          onBlur={handleBlur}
        />
      </div>
      {isOpen && options.length > 0 && (
        <div className="menu finder-list" id={`${id}-list`} role="listbox" aria-label={label}>
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
              // The input would lose the focus, and with it the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(each.key)}
            >
              <bdi className="grow">{each.label}</bdi>
              {each.about !== undefined && <bdi className="soft small">{each.about}</bdi>}
            </div>
          ))}
        </div>
      )}
      {isOpen && options.length === 0 && (
        <p className="menu finder-list soft small" role="status">
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
  /** The id of a user; empty for nobody. */
  value: string;
  onChange: (userId: string) => void;
  disabled?: boolean;
}

/** A user, by the beginning of their name or by their id. */
export function UserCombobox(props: UserComboboxProps) {
  const names = useUserNames(props.value === "" ? [] : [props.value]);
  return (
    <Combobox
      {...props}
      displayValue={names.get(props.value) ?? props.value}
      path="/data/_User"
      buildQuery={userQuery}
      toOption={(row) => ({
        key: stringField(row, "objectId"),
        label: stringField(row, "username"),
        about: stringField(row, "objectId"),
      })}
    />
  );
}

function userQuery(text: string): Query {
  if (text === "") return { keys: "username", order: "username" };
  const byName: JsonObject = { username: { $regex: prefixPattern(text) } };
  const byId: JsonObject = { objectId: text };
  return { keys: "username", order: "username", where: { $or: [byName, byId] } };
}

/** The names of users, by id, as far as they are known yet. */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const search = useStudioQuery<StudioPage<JsonObject>>("/data/_User", {
    query: { where: { objectId: { $in: ids.toSorted() } }, keys: "username", limit: 1_000 },
    enabled: ids.length > 0,
  });
  const rows = search.data?.results ?? [];
  return new Map(rows.map((row) => [stringField(row, "objectId"), stringField(row, "username")]));
}

/** What begins with a text, for `$regex`. */
export function prefixPattern(text: string): string {
  return `^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`;
}

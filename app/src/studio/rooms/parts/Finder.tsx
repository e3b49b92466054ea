import type { JsonObject, StudioPage } from "@purse/protocol";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Query } from "../../api.ts";
import { useAnswer } from "./asking.ts";
import { textOf } from "./fields.ts";
import "./Finder.css";

export interface Found {
  key: string;
  label: string;
  /** Beside the label. */
  about?: string;
}

export interface FinderProps {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** The key of what is chosen; empty for none. */
  value: string;
  /** What stands in the field while nothing is typed: the label of what is chosen. */
  shown: string;
  onChange: (key: string) => void;
  /** Where rows are found, and how they are asked for. */
  path: string;
  queryFor: (text: string) => Query;
  foundIn: (row: JsonObject) => Found;
  /** A key may be typed that nothing is found for. */
  takesAnything?: boolean;
  disabled?: boolean;
}

/** A row that is looked for by typing; arrows and Enter choose, Escape leaves it as it was. */
export function Finder(props: FinderProps) {
  const { label, hint, placeholder, value, shown, onChange, path, queryFor, foundIn, disabled } = props;
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const asked = useDeferredValue((typed ?? "").trim());
  const answer = useAnswer<StudioPage<JsonObject>>(path, {
    query: { ...queryFor(asked), limit: 8 },
    enabled: isOpen,
  });
  const found = answer.data?.results.map(foundIn) ?? [];
  const current = Math.min(at, found.length - 1);

  function choose(key: string): void {
    onChange(key);
    close();
  }

  function close(): void {
    setTyped(undefined);
    setOpen(false);
    setAt(0);
  }

  function keyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setOpen(true);
      else if (found.length > 0) setAt((current + step + found.length) % found.length);
    } else if (event.key === "Enter" && isOpen) {
      // Nothing is sent off while somebody is choosing.
      event.preventDefault();
      const text = (typed ?? "").trim();
      const chosen = found[current];
      if (typed === "") choose("");
      else if (chosen) choose(chosen.key);
      else if (props.takesAnything && text !== "") choose(text);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  function leave(): void {
    const text = (typed ?? "").trim();
    if (typed === "" && value !== "") choose("");
    else if (props.takesAnything && text !== "") choose(text);
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
          aria-controls={isOpen && found.length > 0 ? `${id}-list` : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && found[current] ? `${id}-${current}` : undefined}
          aria-describedby={hint ? `${id}-hint` : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={placeholder}
          disabled={disabled}
          value={typed ?? shown}
          onFocus={(event) => {
            event.target.select();
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setTyped(event.target.value);
            setOpen(true);
            setAt(0);
          }}
          onKeyDown={keyDown}
          onBlur={leave}
        />
      </div>
      {isOpen && found.length > 0 && (
        <div className="menu finder-list" id={`${id}-list`} role="listbox" aria-label={label}>
          {found.map((each, i) => (
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
      {isOpen && found.length === 0 && (
        <p className="menu finder-list soft small" role="status">
          {answer.error
            ? t("The server does not answer")
            : answer.isPending
              ? t("Looking …")
              : t("Nothing of that kind is there")}
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

export interface UserFinderProps {
  label: string;
  hint?: ReactNode;
  placeholder?: string;
  /** The id of a user; empty for nobody. */
  value: string;
  onChange: (userId: string) => void;
  disabled?: boolean;
}

/** A user, by the beginning of their name or by their id. */
export function UserFinder(props: UserFinderProps) {
  const names = useUserNames(props.value === "" ? [] : [props.value]);
  return (
    <Finder
      {...props}
      shown={names.get(props.value) ?? props.value}
      path="/data/_User"
      queryFor={usersFor}
      foundIn={(row) => ({
        key: textOf(row, "objectId"),
        label: textOf(row, "username"),
        about: textOf(row, "objectId"),
      })}
    />
  );
}

function usersFor(text: string): Query {
  if (text === "") return { keys: "username", order: "username" };
  const byName: JsonObject = { username: { $regex: startOf(text) } };
  const byId: JsonObject = { objectId: text };
  return { keys: "username", order: "username", where: { $or: [byName, byId] } };
}

/** The names of users, by id, as far as they are known yet. */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const answer = useAnswer<StudioPage<JsonObject>>("/data/_User", {
    query: { where: { objectId: { $in: ids.toSorted() } }, keys: "username", limit: 1_000 },
    enabled: ids.length > 0,
  });
  const rows = answer.data?.results ?? [];
  return new Map(rows.map((row) => [textOf(row, "objectId"), textOf(row, "username")]));
}

/** What begins with a text, for `$regex`. */
export function startOf(text: string): string {
  return `^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`;
}

import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { type SearchSuggestion, useSearchSuggestions } from "./useSearchSuggestions.ts";

export interface SearchInputProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  /** The id of the text that says what is wrong with the value. */
  problemId: string | undefined;
  /** The submit button. */
  children: ReactNode;
}

/** The input of the explorer's search with suggestions below it. Enter without a chosen suggestion submits the form. */
export function SearchInput({ label, placeholder, value, onChange, problemId, children }: SearchInputProps) {
  const id = useId();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [highlighted, setHighlighted] = useState(-1);
  const found = useSearchSuggestions(value);
  const shown = isOpen ? found : [];
  const current = Math.min(highlighted, shown.length - 1);
  function close() {
    setOpen(false);
    setHighlighted(-1);
  }
  function choose(suggestion: SearchSuggestion) {
    close();
    onChange("");
    void navigate({ href: suggestion.to });
  }
  function handleKeyDown(event: KeyboardEvent) {
    // The keys choose among the words of an input method.
    if (event.nativeEvent.isComposing) return;
    const suggestion = shown[current];
    if (event.key === "Escape" && shown.length > 0) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter") {
      if (suggestion) event.preventDefault();
      if (suggestion) choose(suggestion);
      else close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setOpen(true);
    // The input itself comes before the first suggestion.
    setHighlighted(((current + 1 + step + found.length + 1) % (found.length + 1)) - 1);
  }
  return (
    <div className="search-input">
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <div className="row explorer-search-line">
        <Search size={18} aria-hidden="true" />
        <input
          id={id}
          type="text"
          role="combobox"
          enterKeyHint="search"
          className="grow"
          placeholder={placeholder}
          value={value}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
          aria-autocomplete="list"
          aria-invalid={problemId === undefined ? undefined : true}
          aria-describedby={problemId}
          onChange={(event) => {
            onChange(event.target.value);
            setOpen(true);
            setHighlighted(-1);
          }}
          onKeyDown={handleKeyDown}
          onBlur={close}
        />
        {children}
      </div>
      {shown.length > 0 && (
        <div id={`${id}-list`} role="listbox" aria-label={label} className="menu search-suggestions">
          {shown.map((suggestion, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard.
            <div
              key={suggestion.key}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === current}
              className="menu-item"
              data-highlighted={i === current ? "" : undefined}
              // The input keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => setHighlighted(i)}
              onClick={() => choose(suggestion)}
            >
              <bdi className="grow clip">{suggestion.label}</bdi>
              {suggestion.detail !== undefined && (
                <span className="address small soft">{suggestion.detail}</span>
              )}
              <span className="small soft">{suggestion.kind}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

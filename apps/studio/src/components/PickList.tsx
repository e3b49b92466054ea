import { Field } from "@purse/ui";
import type { ReactNode } from "react";
import { PickSheet } from "./PickSheet.tsx";

interface PickGroup {
  /** Identifies a group whose title is not a text. */
  key?: string;
  title: ReactNode;
  items: readonly { key: string; label: ReactNode }[];
}

export interface PickListProps {
  /** Accessible name of the list. */
  label: string;
  groups: readonly PickGroup[];
  /** Key of the selected item. */
  value: string | undefined;
  onChange: (key: string) => void;
  /** A field above the list. */
  search?: { label: string; value: string; onChange: (text: string) => void };
  /** Content between the field and the list. */
  children?: ReactNode;
  /** What the list shows without groups. */
  empty?: string;
}

/** A sidebar with groups of items, one of which is shown beside it. */
export function PickList({ label, groups, value, onChange, search, children, empty }: PickListProps) {
  const items = groups.flatMap((group) => group.items);
  return (
    <PickSheet label={label} picked={items.find(({ key }) => key === value)?.label ?? value}>
      <nav className="card" aria-label={label}>
        {search && <Field label={search.label} type="search" value={search.value} onText={search.onChange} />}
        {children}
        {groups.map(({ key, title, items }) => (
          <div key={key ?? String(title)}>
            {typeof title === "string" ? <p className="soft small pick-title">{title}</p> : title}
            <ul>
              {items.map((item) => (
                <li key={item.key}>
                  <button
                    type="button"
                    className="pick"
                    aria-current={item.key === value ? "true" : undefined}
                    onClick={() => onChange(item.key)}
                  >
                    {item.label}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {groups.length === 0 && empty !== undefined && <p className="soft">{empty}</p>}
      </nav>
    </PickSheet>
  );
}

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface TabsProps<K extends string> {
  label: string;
  tabs: readonly { key: K; label: ReactNode }[];
  /** The selected tab. Pages keep it in the URL. */
  value: K;
  onChange: (key: K) => void;
  children: ReactNode;
}

/** Tabs with arrow key navigation. */
export function Tabs<K extends string>({ label, tabs, value, onChange, children }: TabsProps<K>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(key: unknown) => {
        const chosen = tabs.find((tab) => tab.key === key);
        if (chosen) onChange(chosen.key);
      }}
      className="stack"
    >
      <Base.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.key} value={tab.key} className="tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={value} className="stack">
        {children}
      </Base.Panel>
    </Base.Root>
  );
}

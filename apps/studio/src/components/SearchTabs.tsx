import { Tabs } from "@purse/ui";
import type { ReactNode } from "react";
import { useSearchParam } from "./useSearchParam.ts";

export interface SearchTab {
  key: string;
  label: string;
  content: () => ReactNode;
}

/** Views of a page; the search param `show` names the selected one, and is missing for the first. */
export function SearchTabs({ label, tabs }: { label: string; tabs: readonly [SearchTab, ...SearchTab[]] }) {
  const [shown, setShown] = useSearchParam("show");
  const [first] = tabs;
  const tab = tabs.find(({ key }) => key === shown) ?? first;
  return (
    <Tabs
      label={label}
      tabs={tabs}
      value={tab.key}
      onChange={(key) => setShown(key === first.key ? "" : key)}
    >
      {tab.content()}
    </Tabs>
  );
}

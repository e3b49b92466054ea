import { type Filter, loadList, parseFilters, saveJson } from "@purse/ui";
import { type ChartConfig, parseChart } from "./chart.ts";

/** Filters, an order and a chart of a class, saved under a name in this browser. */
export interface SavedView {
  name: string;
  filter: Filter[];
  /** Parse order; undefined for the default. */
  order?: string | undefined;
  /** The chart, if the view shows one. */
  chart?: ChartConfig | undefined;
}

const MAX_VIEWS = 50;
const keyOf = (className: string) => `purse.studio.views.${className}`;

/** Loads the saved views of a class; invalid ones are left out. */
export function loadViews(className: string, storage: Pick<Storage, "getItem">): SavedView[] {
  return loadList(storage, keyOf(className)).flatMap(parseView);
}

/** The views with one more, which replaces that of the same name, sorted by name. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view]
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, MAX_VIEWS);
}

export function saveViews(
  className: string,
  views: readonly SavedView[],
  storage: Pick<Storage, "setItem">,
): void {
  saveJson(storage, keyOf(className), views);
}

function parseView(view: unknown): SavedView[] {
  const { name, filter, order, chart: savedChart } = Object(view);
  if (typeof name !== "string" || name === "") return [];
  const chart = parseChart(savedChart);
  return [
    {
      name,
      filter: parseFilters(filter) ?? [],
      order: typeof order === "string" ? order : undefined,
      ...(chart && { chart }),
    },
  ];
}

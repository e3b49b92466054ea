import type { JsonObject } from "@purse/protocol";
import { type Filter, loadList, parseFilters } from "@purse/ui";
import { type ChartConfig, parseChart } from "./chart.ts";

/** Filters, an order and a chart of a class. */
export interface ViewContent {
  filter: Filter[];
  /** Parse order; undefined for the default. */
  order?: string | undefined;
  /** The chart, if the view shows one. */
  chart?: ChartConfig | undefined;
}

/** Where browsers kept the views of a class before the server did. */
const keyOf = (className: string) => `purse.studio.views.${className}`;

/** The views of a class that the browser still has; invalid ones are left out. */
export function browserViews(
  className: string,
  storage: Pick<Storage, "getItem">,
): { name: string; view: ViewContent }[] {
  return loadList<unknown>(storage, keyOf(className)).flatMap((stored) => {
    const { name } = Object(stored);
    return typeof name === "string" && name !== "" ? [{ name, view: parseView(stored) }] : [];
  });
}

export function forgetBrowserViews(className: string, storage: Pick<Storage, "removeItem">): void {
  storage.removeItem(keyOf(className));
}

/** Reads a stored view; what is not valid is left out. */
export function parseView(view: unknown): ViewContent {
  const { filter, order, chart: savedChart } = Object(view);
  const chart = parseChart(savedChart);
  return {
    filter: parseFilters(filter) ?? [],
    ...(typeof order === "string" && { order }),
    ...(chart && { chart }),
  };
}

/** The view as it is stored. */
export function viewJson(view: ViewContent): JsonObject {
  return JSON.parse(JSON.stringify(view));
}

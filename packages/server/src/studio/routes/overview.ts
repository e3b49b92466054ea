import type { MetricsHistory } from "../../observe/metricsHistory.ts";
import { json, type StudioRoute } from "../route.ts";

export interface OverviewParts {
  series: MetricsHistory;
}

/** How the server does. */
export function overviewRoutes({ series }: OverviewParts): StudioRoute[] {
  return [
    {
      method: "GET",
      path: "/overview",
      needs: "readOnly",
      handle: async () => json({ points: series.points() }),
    },
    {
      method: "GET",
      path: "/slow-requests",
      needs: "readOnly",
      handle: async () => json({ results: series.slowRequests() }),
    },
  ];
}

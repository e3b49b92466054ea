import type { MetricsHistory } from "../../monitoring/metricsHistory.ts";
import { json, type StudioRoute } from "../route.ts";

export interface OverviewDependencies {
  metricsHistory: MetricsHistory;
}

/** Routes for server metrics. */
export function overviewRoutes({ metricsHistory }: OverviewDependencies): StudioRoute[] {
  return [
    {
      method: "GET",
      path: "/overview",
      needs: "readOnly",
      handle: async () => json({ points: metricsHistory.points() }),
    },
    {
      method: "GET",
      path: "/slow-requests",
      needs: "readOnly",
      handle: async () => json({ results: metricsHistory.slowRequests() }),
    },
  ];
}

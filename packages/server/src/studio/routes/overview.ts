import type { MetricsHistory } from "../../monitoring/metricsHistory.ts";
import { overviewEndpoints as endpoints } from "../../studioApi/overview.ts";
import { route, type StudioRoute } from "../route.ts";

export interface OverviewDependencies {
  metricsHistory: MetricsHistory;
}

/** Routes for server metrics. */
export function overviewRoutes({ metricsHistory }: OverviewDependencies): StudioRoute[] {
  return [
    route(endpoints.overview, async () => ({ points: metricsHistory.points() })),
    route(endpoints.slowRequests, async () => ({ results: metricsHistory.slowRequests() })),
    route(endpoints.requests, async ({ params }) => ({ results: metricsHistory.requests(params.kind) })),
  ];
}

import type { Series } from "../../observe/series.ts";
import type { Backups } from "../backups.ts";
import { json, type StreamReply, type StudioRequest, type StudioRoute } from "../route.ts";

export interface OverviewParts {
  series: Series;
  backups: Backups;
}

/** How the server does, and copies of what it keeps. */
export function overviewRoutes({ series, backups }: OverviewParts): StudioRoute[] {
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
      handle: async () => json({ results: series.slow() }),
    },
    { method: "GET", path: "/backups", needs: "owner", handle: async () => json(await backups.state()) },
    { method: "GET", path: "/backups/:file", needs: "owner", handle: download },
    { method: "POST", path: "/backups", needs: "owner", handle: begin },
  ];

  async function download({ names: { file = "" } }: StudioRequest): Promise<StreamReply> {
    const stream = await backups.open(file);
    return { stream, contentType: "application/vnd.sqlite3", fileName: file };
  }

  async function begin(request: StudioRequest) {
    const file = await backups.begin();
    request.note({ target: file });
    return json({ file }, 202);
  }
}

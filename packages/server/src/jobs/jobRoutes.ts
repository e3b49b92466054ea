import type { ApiReply, ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { JobService } from "./jobService.ts";

/** Routes that start jobs with the master key. */
export function jobRoutes(service: JobService): ApiRoute[] {
  return [
    { method: "POST", path: "/jobs", handle: (request) => start(request, request.params.jobName) },
    { method: "POST", path: "/jobs/:name", handle: (request) => start(request, request.pathParams.name) },
  ];

  async function start(request: ApiRequest, name: unknown): Promise<ApiReply> {
    assertMaster(request, "write");
    const { jobName: _, ...params } = request.params;
    const id = await service.startOnRequest(String(name), params, request);
    return { status: 200, body: "{}", headers: { "X-Parse-Job-Status-Id": id } };
  }
}

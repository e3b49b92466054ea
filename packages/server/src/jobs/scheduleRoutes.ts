import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import type { Objects } from "../objects/objects.ts";

const CLASS_NAME = "_JobSchedule";

export interface ScheduleParts {
  objects: Pick<Objects, "find" | "create" | "update" | "remove">;
  /** Names of the jobs that there are. */
  jobs(): readonly string[];
}

/** Schedules of jobs as Parse Dashboard keeps them: `{job_schedule: {jobName, startAfter, …}}`. */
export function scheduleRoutes({ objects, jobs }: ScheduleParts): ApiRoute[] {
  async function schedules(request: ApiRequest): Promise<JsonObject[]> {
    assertMaster(request);
    const text = await objects.find(request, CLASS_NAME, { limit: 1_000 });
    const { results }: { results: JsonObject[] } = JSON.parse(text);
    return results;
  }

  /** Throws 1 for a job that is not there. */
  function scheduleIn(request: ApiRequest): JsonObject {
    assertMaster(request, "write");
    const { job_schedule: given } = request.params;
    if (!isJsonObject(given)) throw new ProtocolError(ErrorCode.INVALID_JSON, "job_schedule is required");
    const { jobName } = given;
    if (jobName !== undefined && !jobs().includes(String(jobName))) {
      throw new ProtocolError(
        ErrorCode.INTERNAL_SERVER_ERROR,
        "Cannot Schedule a job that is not deployed",
        400,
      );
    }
    return given;
  }

  return [
    { method: "GET", path: "/cloud_code/jobs", handle: schedules },
    {
      method: "GET",
      path: "/cloud_code/jobs/data",
      handle: async (request) => ({
        in_use: (await schedules(request)).map(({ jobName }) => String(jobName)),
        jobs: [...jobs()],
      }),
    },
    {
      method: "POST",
      path: "/cloud_code/jobs",
      async handle(request): Promise<ApiReply> {
        const fields = { startAfter: new Date().toISOString(), ...scheduleIn(request) };
        const { status, body } = await objects.create(request, CLASS_NAME, fields);
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "PUT",
      path: "/cloud_code/jobs/:objectId",
      async handle(request): Promise<ApiReply> {
        const fields = scheduleIn(request);
        const { status, body } = await objects.update(
          request,
          CLASS_NAME,
          request.pathParams.objectId ?? "",
          fields,
        );
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "DELETE",
      path: "/cloud_code/jobs/:objectId",
      async handle(request) {
        assertMaster(request, "write");
        await objects.remove(request, CLASS_NAME, request.pathParams.objectId ?? "");
        return {};
      },
    },
  ];
}

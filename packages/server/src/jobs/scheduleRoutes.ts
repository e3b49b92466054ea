import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiReply, ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";

const CLASS_NAME = "_JobSchedule";

export interface ScheduleRouteDependencies {
  objects: Pick<Objects, "find" | "create" | "update" | "remove">;
  /** Names of the defined jobs. */
  jobNames(): readonly string[];
}

/** Routes for job schedules as Parse Dashboard uses them: `{job_schedule: {jobName, startAfter, …}}`. */
export function scheduleRoutes({ objects, jobNames }: ScheduleRouteDependencies): ApiRoute<WriteRequest>[] {
  async function listSchedules(request: ApiRequest): Promise<JsonObject[]> {
    assertMaster(request);
    const text = await objects.find(request, CLASS_NAME, { limit: 1_000 });
    const { results }: { results: JsonObject[] } = JSON.parse(text);
    return results;
  }

  /** Returns the schedule in a request. Throws 1 if its job is not defined. */
  function requireSchedule(request: ApiRequest): JsonObject {
    assertMaster(request, "write");
    const { job_schedule: schedule } = request.params;
    if (!isJsonObject(schedule)) throw new ProtocolError(ErrorCode.INVALID_JSON, "job_schedule is required");
    const { jobName } = schedule;
    if (jobName !== undefined && !jobNames().includes(String(jobName))) {
      throw new ProtocolError(
        ErrorCode.INTERNAL_SERVER_ERROR,
        "Cannot Schedule a job that is not deployed",
        400,
      );
    }
    return schedule;
  }

  return [
    { method: "GET", path: "/cloud_code/jobs", handle: listSchedules },
    {
      method: "GET",
      path: "/cloud_code/jobs/data",
      handle: async (request) => ({
        in_use: (await listSchedules(request)).map(({ jobName }) => String(jobName)),
        jobs: [...jobNames()],
      }),
    },
    {
      method: "POST",
      path: "/cloud_code/jobs",
      async handle(request): Promise<ApiReply> {
        const fields = { startAfter: new Date().toISOString(), ...requireSchedule(request) };
        const { status, body } = await objects.create(request, CLASS_NAME, fields, request.writeOptions);
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "PUT",
      path: "/cloud_code/jobs/:objectId",
      async handle(request): Promise<ApiReply> {
        const fields = requireSchedule(request);
        const { status, body } = await objects.update(
          request,
          CLASS_NAME,
          request.pathParams.objectId ?? "",
          fields,
          request.writeOptions,
        );
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "DELETE",
      path: "/cloud_code/jobs/:objectId",
      async handle(request) {
        assertMaster(request, "write");
        await objects.remove(request, CLASS_NAME, request.pathParams.objectId ?? "", request.writeOptions);
        return {};
      },
    },
  ];
}

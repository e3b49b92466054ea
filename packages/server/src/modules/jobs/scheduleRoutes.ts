import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiReply, ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, jsonObject, nothing, routesOf } from "../../core/http/endpoint.ts";
import { created, objectResponse, updated } from "../../core/http/objectEndpoints.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { WriteRequest } from "../../data/objects/writeOptions.ts";

const CLASS_NAME = "_JobSchedule";

const schedule = () => z.object({ job_schedule: jsonObject().describe("Fields of `_JobSchedule`") });
const ENDPOINTS = defineEndpoints("Functions, jobs, webhooks, config", {
  list: {
    method: "GET",
    path: "/cloud_code/jobs",
    access: "masterKey",
    summary: "Job schedules",
    schemas: () => ({ response: z.array(objectResponse()) }),
  },
  names: {
    method: "GET",
    path: "/cloud_code/jobs/data",
    access: "masterKey",
    summary: "Names of jobs, and of those with a schedule",
    schemas: () => ({ response: z.object({ in_use: z.array(z.string()), jobs: z.array(z.string()) }) }),
  },
  create: {
    method: "POST",
    path: "/cloud_code/jobs",
    access: "masterKey",
    summary: "Schedule a job",
    schemas: () => ({ body: schedule(), response: created() }),
    status: 201,
  },
  update: {
    method: "PUT",
    path: "/cloud_code/jobs/:objectId",
    access: "masterKey",
    summary: "Change a schedule",
    schemas: () => ({ body: schedule(), response: updated() }),
  },
  remove: {
    method: "DELETE",
    path: "/cloud_code/jobs/:objectId",
    access: "masterKey",
    summary: "Delete a schedule",
    schemas: nothing,
  },
});

export interface ScheduleRouteDependencies {
  objects: Pick<Objects, "find" | "create" | "update" | "remove">;
  /** Names of the defined jobs. */
  jobNames(): readonly string[];
}

/** Routes for job schedules as Parse Dashboard uses them: `{job_schedule: {jobName, startAfter, …}}`. */
export function scheduleRoutes({ objects, jobNames }: ScheduleRouteDependencies): ApiRoute<WriteRequest>[] {
  const idOf = ({ pathParams }: ApiRequest) => pathParams.objectId ?? "";

  async function list(request: ApiRequest): Promise<JsonObject[]> {
    const text = await objects.find(request, CLASS_NAME, { limit: 1_000 });
    const { results }: { results: JsonObject[] } = JSON.parse(text);
    return results;
  }

  /** Returns the schedule in a request. Throws 1 if its job is not defined. */
  function requireSchedule({ params: { job_schedule: schedule } }: ApiRequest): JsonObject {
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

  return routesOf(ENDPOINTS, {
    list,
    names: async (request) => ({
      in_use: (await list(request)).map(({ jobName }) => String(jobName)),
      jobs: [...jobNames()],
    }),
    async create(request: WriteRequest): Promise<ApiReply> {
      const fields = { startAfter: new Date().toISOString(), ...requireSchedule(request) };
      const { status, body } = await objects.create(request, CLASS_NAME, fields, request.writeOptions);
      return { status, body: JSON.stringify(body) };
    },
    async update(request: WriteRequest): Promise<ApiReply> {
      const { status, body } = await objects.update(
        request,
        CLASS_NAME,
        idOf(request),
        requireSchedule(request),
        request.writeOptions,
      );
      return { status, body: JSON.stringify(body) };
    },
    async remove(request: WriteRequest) {
      await objects.remove(request, CLASS_NAME, idOf(request), request.writeOptions);
      return {};
    },
  });
}

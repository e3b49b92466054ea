import type { JsonValue } from "@purse/protocol";
import { z } from "zod";
import type { ApiReply, ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, jsonObject, nothing, routesOf } from "../../core/http/endpoint.ts";
import type { JobService } from "./jobService.ts";

const ENDPOINTS = defineEndpoints("Functions, jobs, webhooks, config", {
  start: {
    method: "POST",
    path: "/jobs",
    access: "masterKey",
    summary: "Start the job `jobName`; `X-Parse-Job-Status-Id` is the id of its status",
    schemas: () => ({ ...nothing(), body: z.looseObject({ jobName: z.string() }) }),
  },
  startNamed: {
    method: "POST",
    path: "/jobs/:name",
    access: "masterKey",
    summary: "Start a job; `X-Parse-Job-Status-Id` is the id of its status",
    schemas: () => ({ ...nothing(), body: jsonObject().describe("Parameters of the job") }),
  },
});

/** Routes that start jobs. */
export function jobRoutes(service: JobService): ApiRoute[] {
  return routesOf(ENDPOINTS, {
    start: (request) => start(request, request.params.jobName),
    startNamed: (request) => start(request, request.pathParams.name),
  });

  async function start(request: ApiRequest, name: JsonValue | undefined): Promise<ApiReply> {
    const { jobName: _, ...params } = request.params;
    const id = await service.startOnRequest(String(name), params, request);
    return { status: 200, body: "{}", headers: { "X-Parse-Job-Status-Id": id } };
  }
}

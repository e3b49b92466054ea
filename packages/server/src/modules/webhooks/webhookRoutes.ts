import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, nothing, routesOf } from "../../core/http/endpoint.ts";
import type { WebhookService } from "./webhookService.ts";

const hook = () =>
  z
    .object({
      url: z.string(),
      functionName: z.string().optional(),
      className: z.string().optional(),
      triggerName: z.string().optional(),
    })
    .describe("A webhook of a function, or of a trigger of a class")
    .meta({ id: "Webhook" });

/** The endpoints of the webhooks of functions, or of those of triggers. */
function hookEndpoints(path: string, names: string, noun: string) {
  const access = "masterKey";
  const one = path + names;
  return defineEndpoints("Functions, jobs, webhooks, config", {
    list: {
      method: "GET",
      path,
      access,
      summary: `Webhooks of ${noun}s`,
      schemas: () => ({ response: z.array(hook()) }),
    },
    create: {
      method: "POST",
      path,
      access,
      summary: `Add a webhook of a ${noun}`,
      schemas: () => ({ body: hook(), response: hook() }),
    },
    get: {
      method: "GET",
      path: one,
      access,
      summary: `Read the webhook of a ${noun}`,
      schemas: () => ({ response: hook() }),
    },
    update: {
      method: "PUT",
      path: one,
      access,
      summary: `Change the webhook of a ${noun}, or delete it by \`__op\``,
      schemas: () => ({
        body: z.object({ url: z.string().optional(), __op: z.literal("Delete").optional() }),
        response: hook().partial(),
      }),
    },
    remove: {
      method: "DELETE",
      path: one,
      access,
      summary: `Delete the webhook of a ${noun}`,
      schemas: nothing,
    },
  });
}

/** Routes that manage webhooks. */
export function webhookRoutes(service: WebhookService): ApiRoute[] {
  const one = { get, create, update, remove };
  return [
    ...routesOf(hookEndpoints("/hooks/functions", "/:functionName", "function"), {
      ...one,
      list: async () => service.functions(),
    }),
    ...routesOf(hookEndpoints("/hooks/triggers", "/:className/:triggerName", "trigger"), {
      ...one,
      list: async () => service.triggers(),
    }),
  ];

  async function get({ pathParams }: ApiRequest): Promise<JsonObject> {
    return service.get(pathParams);
  }

  async function create({ params }: ApiRequest): Promise<JsonObject> {
    return service.create(params);
  }

  async function update(request: ApiRequest): Promise<JsonObject> {
    const { pathParams, params } = request;
    return params.__op === "Delete" ? remove(request) : service.update(pathParams, params);
  }

  async function remove({ pathParams }: ApiRequest): Promise<JsonObject> {
    await service.remove(pathParams);
    return {};
  }
}

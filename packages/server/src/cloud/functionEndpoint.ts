import { z } from "zod";
import { jsonObject, jsonValue } from "../core/http/endpoint.ts";

/** Calls of functions. What parameters they take, only their validators know. */
export const FUNCTION_ENDPOINT = {
  method: "POST",
  path: "/functions/:name",
  access: "everyone",
  heading: "Functions, jobs, webhooks, config",
  summary: "Call a cloud function; its validator decides who may call it",
  schemas: () => ({
    body: jsonObject().describe("Parameters of the function"),
    response: z.object({ result: jsonValue().optional() }),
  }),
  errors: { 400: "The function failed (141), or its validator rejected the request (142)" },
  isApplicationOptional: true,
  needsClientKey: true,
} as const;

import { z } from "zod";
import { jsonObject, jsonValue, type ParseEndpoint } from "./row.ts";

const FUNCTION_FAILED = { 400: "The function failed (141), or its validator rejected the request (142)" };
/** Functions, jobs, webhooks, config, analytics and pushes. */
export const FUNCTION_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "POST",
    path: "/functions/:name",
    access: "everyone",
    summary: "Call a cloud function; its validator decides who may call it",
    body: jsonObject.describe("Parameters of the function"),
    response: z.object({ result: jsonValue.optional() }),
    errors: FUNCTION_FAILED,
    isApplicationOptional: true,
  },
];

import type { ParseEndpoint } from "../../core/http/endpoint.ts";
import { SCHEMA_ENDPOINTS } from "../schemaRoutes.ts";
import { FILE_ENDPOINTS } from "./files.ts";
import { FUNCTION_ENDPOINTS } from "./functions.ts";
import { OBJECT_ENDPOINTS } from "./objects.ts";
import { SERVER_ENDPOINTS } from "./server.ts";
import { USER_ENDPOINTS } from "./users.ts";

/** The endpoints of the Parse API by the headings of the documentation. A test compares them with the routes. */
export const PARSE_ENDPOINTS: Readonly<Record<string, readonly ParseEndpoint[]>> = {
  Objects: OBJECT_ENDPOINTS,
  "Users and sessions": USER_ENDPOINTS,
  "Functions, jobs, webhooks, config": FUNCTION_ENDPOINTS,
  Schemas: Object.values(SCHEMA_ENDPOINTS),
  "Files and IPFS": FILE_ENDPOINTS,
  Server: SERVER_ENDPOINTS,
};

import type { ParseEndpoint as DescribedEndpoint } from "../../core/http/apiRoute.ts";
import { FILE_ENDPOINTS } from "./files.ts";
import { FUNCTION_ENDPOINTS } from "./functions.ts";
import type { ParseEndpoint } from "./row.ts";
import { SERVER_ENDPOINTS } from "./server.ts";

/** The routes of the Parse API that do not declare what they are yet, by the headings of the documentation. */
const PARSE_ENDPOINTS: Readonly<Record<string, readonly ParseEndpoint[]>> = {
  "Functions, jobs, webhooks, config": FUNCTION_ENDPOINTS,
  "Files and IPFS": FILE_ENDPOINTS,
  Server: SERVER_ENDPOINTS,
};

export const describedRoutes: DescribedEndpoint[] = Object.entries(PARSE_ENDPOINTS).flatMap(
  ([heading, rows]) =>
    rows.map(({ query, body, response, ...row }) => ({
      ...row,
      heading,
      schemas: () => ({ query, body, response }),
    })),
);

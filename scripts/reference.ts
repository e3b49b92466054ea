/*
 * Writes the generated pages of the documentation: configuration.md from the server's settings, errors.md from the error
 * codes of the protocol, and the tables of routes from the OpenAPI documents. With `--check` it writes nothing and fails
 * where a page is stale.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { studioOpenApi } from "@purse/server";
import { writeGenerated } from "./generatedFiles.ts";
import { configurationPage } from "./reference/configuration.ts";
import { endpointsPage } from "./reference/endpointsPage.ts";
import { errorsPage } from "./reference/errors.ts";
import { parseOpenApi } from "./reference/parseOpenApi.ts";
import { withRouteTables } from "./reference/routeTables.ts";

const ROOT = join(import.meta.dirname, "..");
const SERVER = "http://127.0.0.1:1337";
const parseDocument = await parseOpenApi();
const pages: [file: string, text: string][] = [
  ["docs/reference/configuration.md", configurationPage()],
  ["docs/reference/errors.md", errorsPage()],
  pageWithRoutes("docs/reference/rest-api.md", parseDocument),
  pageWithRoutes("docs/studio/api.md", studioOpenApi()),
  [
    "docs/reference/rest-endpoints.md",
    endpointsPage(parseDocument, {
      title: "REST API endpoints",
      introduction:
        "Every endpoint of the [REST API](rest-api.md), with its parameters and responses. `/server/openapi.json` on your server is the same as an OpenAPI 3.1 document, and also has the routes of your own [modules](../guide/modules.md).",
      serverUrl: `${SERVER}/server`,
      names: "paths",
    }),
  ],
  [
    "docs/reference/data-endpoints.md",
    endpointsPage(openApi(`${SERVER}/api/v2`), {
      title: "Data API endpoints",
      introduction:
        "Every endpoint of the [data API](data-api.md), with its parameters and responses. `/api/v2/openapi.json` on your server is the same as an OpenAPI 3.1 document.",
      serverUrl: `${SERVER}/api/v2`,
      names: "ids",
      tryAt: "/api/v2/openapi.json",
    }),
  ],
  [
    "docs/studio/endpoints.md",
    endpointsPage(studioOpenApi(), {
      title: "Admin API endpoints",
      introduction:
        "Every endpoint of the [admin API](api.md), with its parameters and responses. `/studio/api/openapi.json` returns the same as an OpenAPI 3.1 document to operators who have signed in.",
      serverUrl: `${SERVER}/studio/api`,
      names: "paths",
    }),
  ],
];

writeGenerated("reference.ts", pages);

function pageWithRoutes(file: string, document: JsonObject): [file: string, text: string] {
  return [file, withRouteTables(readFileSync(join(ROOT, file), "utf8"), document)];
}

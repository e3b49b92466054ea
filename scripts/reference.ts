/*
 * Writes the generated pages of the documentation: configuration.md from the server's settings, errors.md from the error
 * codes of the protocol, and the tables of routes from the OpenAPI documents. With `--check` it writes nothing and fails
 * where a page is stale.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { studioOpenApi } from "@purse/server";
import { writeGenerated } from "./generatedFiles.ts";
import { configurationPage } from "./reference/configuration.ts";
import { errorsPage } from "./reference/errors.ts";
import { parseOpenApi } from "./reference/parseOpenApi.ts";
import { withRouteTables } from "./reference/routeTables.ts";

const ROOT = join(import.meta.dirname, "..");
const pages: [file: string, text: string][] = [
  ["docs/reference/configuration.md", configurationPage()],
  ["docs/reference/errors.md", errorsPage()],
  pageWithRoutes("docs/reference/rest-api.md", await parseOpenApi()),
  pageWithRoutes("docs/studio/api.md", studioOpenApi()),
];

writeGenerated("reference.ts", pages);

function pageWithRoutes(file: string, document: JsonObject): [file: string, text: string] {
  return [file, withRouteTables(readFileSync(join(ROOT, file), "utf8"), document)];
}

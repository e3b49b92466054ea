/*
 * Writes the generated pages of the documentation: configuration.md from the server's settings, errors.md from the error
 * codes of the protocol, and the tables of routes from the OpenAPI documents. With `--check` it writes nothing and fails
 * where a page is stale.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { parseOpenApi, studioOpenApi } from "@purse/server";
import { configurationPage } from "./reference/configuration.ts";
import { errorsPage } from "./reference/errors.ts";
import { withRouteTables } from "./reference/routeTables.ts";

const FOLDER = join(import.meta.dirname, "../docs");
const pages: [file: string, text: string][] = [
  ["reference/configuration.md", configurationPage()],
  ["reference/errors.md", errorsPage()],
  pageWithRoutes("reference/rest-api.md", parseOpenApi()),
  pageWithRoutes("studio/api.md", studioOpenApi()),
];

const stale = pages.filter(([file, text]) => {
  const path = join(FOLDER, file);
  return !existsSync(path) || readFileSync(path, "utf8") !== text;
});
if (process.argv.includes("--check")) {
  for (const [file] of stale)
    console.error(`docs/${file} is stale: run \`node scripts/run.mjs scripts/reference.ts\``);
  if (stale.length > 0) process.exit(1);
} else {
  for (const [file, text] of stale) writeFileSync(join(FOLDER, file), text);
}
console.log(`reference: ${pages.length} pages, ${stale.length} ${stale.length === 1 ? "was" : "were"} stale`);

function pageWithRoutes(file: string, document: JsonObject): [file: string, text: string] {
  return [file, withRouteTables(readFileSync(join(FOLDER, file), "utf8"), document)];
}

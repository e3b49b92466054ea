/*
 * Writes the generated pages of docs/reference: configuration.md from the server's settings, errors.md from the error
 * codes of the protocol. With `--check` it writes nothing and fails where a page is stale.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationPage } from "./reference/configuration.ts";
import { errorsPage } from "./reference/errors.ts";

const FOLDER = join(import.meta.dirname, "../docs/reference");
const pages: [file: string, text: string][] = [
  ["configuration.md", configurationPage()],
  ["errors.md", errorsPage()],
];

const stale = pages.filter(([file, text]) => {
  const path = join(FOLDER, file);
  return !existsSync(path) || readFileSync(path, "utf8") !== text;
});
if (process.argv.includes("--check")) {
  for (const [file] of stale)
    console.error(`docs/reference/${file} is stale: run \`node scripts/run.mjs scripts/reference.ts\``);
  if (stale.length > 0) process.exit(1);
} else {
  for (const [file, text] of stale) writeFileSync(join(FOLDER, file), text);
}
console.log(`reference: ${pages.length} pages, ${stale.length} ${stale.length === 1 ? "was" : "were"} stale`);

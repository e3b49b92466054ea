// Moves the scripts within HTML into files: the policy of the server's pages allows no scripts in them.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const INLINE_SCRIPT = /<script(?: id="[^"]*")?>([^<]+(?:<(?!\/script>)[^<]*)*)<\/script>/g;

/** Moves the scripts of all pages below `pages` into files of `folder`, which is served at `url`. */
export function moveInlineScripts(pages, folder, url) {
  const files = readdirSync(pages, { recursive: true, encoding: "utf8" });
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    if (!file.endsWith(".html")) continue;
    const html = readFileSync(join(pages, file), "utf8");
    const moved = html.replace(INLINE_SCRIPT, (_, code) => {
      const name = `inline.${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
      writeFileSync(join(folder, name), code);
      return `<script src="${url}/${name}"></script>`;
    });
    if (/<script(?![^>]* src=)/.test(moved)) throw new Error(`${file} has a script that is not in a file`);
    if (moved !== html) writeFileSync(join(pages, file), moved);
  }
}

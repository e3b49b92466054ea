import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Manifest {
  version: string;
  repository?: string | { url: string };
}

const manifest: Manifest = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../../package.json"), "utf8"),
);

/** The version of the server that the pages describe. */
export const version = `v${manifest.version}`;

/**
 * The link to edit a page, where `:path` is its file below `docs`: that of PURSE_DOCS_EDIT_URL, or of the repository that
 * `package.json` names. Undefined if neither is set.
 */
export function editLink(
  { repository }: Pick<Manifest, "repository"> = manifest,
  env: Record<string, string | undefined> = process.env,
): { pattern: string; text: string } | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  const web = url?.replace(/^git\+/, "").replace(/\.git$/, "");
  const pattern = env.PURSE_DOCS_EDIT_URL ?? (web && `${web}/edit/main/docs/:path`);
  return pattern ? { pattern, text: "Edit this page" } : undefined;
}

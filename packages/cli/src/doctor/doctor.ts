import type { Config } from "@purse/server";
import { type Finding, failure, messageOf } from "./finding.ts";
import { checkCloudCode, checkDataFolder, checkNode, checkPort, checkSettings } from "./localChecks.ts";
import { checkDatabase, checkIndexDatabases, checkMail, checkNodes, checkPublicUrl } from "./remoteChecks.ts";
import { checkBuckets, checkValkey } from "./serviceChecks.ts";

type Check = (config: Config) => Finding[] | Promise<Finding[]>;

/** By area; an area names a check that fails in an unexpected way. */
const CHECKS: Record<string, Check> = {
  settings: checkSettings,
  folder: checkDataFolder,
  database: checkDatabase,
  "cloud code": checkCloudCode,
  port: checkPort,
  "public URL": checkPublicUrl,
  buckets: checkBuckets,
  Valkey: checkValkey,
  mail: checkMail,
  chains: checkNodes,
  "index databases": checkIndexDatabases,
};
const SIGNS: Record<Finding["state"], string> = { ok: "✓", warning: "!", error: "✗" };

/** Checks an installation from its settings to its network. Invalid settings are a finding, too. */
export async function diagnose(loadSettings: () => Promise<Config>): Promise<Finding[]> {
  let config: Config;
  try {
    config = await loadSettings();
  } catch (error) {
    return [...checkNode(), failure("settings", messageOf(error), "Correct the setting.")];
  }
  const results = Object.entries(CHECKS).map(async ([area, check]) => {
    try {
      return await check(config);
    } catch (error) {
      return [failure(area, messageOf(error), "This check could not be completed.")];
    }
  });
  return [...checkNode(), ...(await Promise.all(results)).flat()];
}

export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ area }) => area.length));
  const lines = findings.flatMap(({ area, state, text, advice }) => {
    const line = `${SIGNS[state]} ${area.padEnd(width)}  ${text}`;
    return advice === undefined ? [line] : [line, `${" ".repeat(width + 4)}→ ${advice}`];
  });
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return [...lines, "", `${count("error")} errors, ${count("warning")} warnings`].join("\n");
}

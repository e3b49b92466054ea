import type { Module, SettingOptions } from "@purse/kernel";
import { moduleVariable } from "./moduleSettings.ts";
import { SECTIONS } from "./sections.ts";
import { SETTING_LIST } from "./settingList.ts";
import { CHAIN_SETTINGS } from "./settings.ts";

/** One row of the settings reference. Texts are empty if a setting has no flag, variable, key or default. */
export interface SettingRow {
  /** Undefined for a variable that is not a setting. */
  group?: string;
  flag: string;
  env: string;
  /** Key in purse.config.ts. */
  key: string;
  defaultText: string;
  description: string;
}

/** All settings, also those of modules: first those with a variable, then those that only the config file can contain. */
export function settingRows(modules: readonly Module[] = []): SettingRow[] {
  const rows = SETTING_LIST.map(
    ({ key, info }): SettingRow => ({
      group: info.group,
      flag: info.flag ?? "",
      env: info.env,
      key,
      defaultText: defaultTextOf(info),
      description: describe(info),
    }),
  );
  rows.push({
    flag: "--config",
    env: "PURSE_CONFIG",
    key: "",
    defaultText: "./purse.config.ts",
    description: "Config file; its keys are in the third column.",
  });
  for (const { env, description } of CHAIN_SETTINGS)
    rows.push({ group: "Chains", flag: "", env, key: "chains", defaultText: "", description });
  for (const [key, { group, description }] of Object.entries(SECTIONS))
    rows.push({ group, flag: "", env: "", key, defaultText: "", description });
  for (const { name, settings } of modules)
    for (const setting of settings) {
      const { key, flag = "", group = name } = setting;
      rows.push({
        group,
        flag,
        env: moduleVariable(setting) ?? "",
        key,
        defaultText: defaultTextOf(setting),
        description: describe(setting),
      });
    }
  return rows;
}

/** All settings as a Markdown table, for `--help`. */
export function settingsTable(modules: readonly Module[] = []): string {
  const rows = settingRows(modules).map((row) => [
    row.flag,
    row.env,
    row.key,
    row.defaultText,
    row.description,
  ]);
  const table = [["Flag", "Environment", "Config file", "Default", "Description"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = table;
  const rule = `|${[...widths, 12].map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

function describe({ description, package: name }: SettingOptions): string {
  return name === undefined ? description : `${description} Package: \`${name}\`.`;
}

function defaultTextOf({ default: value = "" }: SettingOptions): string {
  if (typeof value === "string") return value;
  return `${value.production}, in development ${value.development}`;
}

import { PROGRAM, settingsTable } from "@purse/server";

export function helpText(): string {
  const start = PROGRAM === "purse" ? "purse start" : "npm start --";
  return `Purse: accounts, data, live queries, functions and chain data from one process.

  ${start.replace(" --", "").padEnd(24)}  starts it
  ${`${start} --port 8080`.padEnd(24)}  with a setting

Settings: a flag wins over the environment, that over the config file, that over the default.

${settingsTable()}

  --help      shows this
  --version   shows the version`;
}

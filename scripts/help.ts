import { settingsTable } from "@purse/server";

export function helpText(): string {
  return `Purse: accounts, data, live queries, functions and chain data from one process.

  npm start                 starts it
  npm start -- --port 8080  with a setting

Settings: a flag wins over the environment, that over the config file, that over the default.

${settingsTable()}

  --help      shows this
  --version   shows the version`;
}

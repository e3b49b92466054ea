import type { JsonValue } from "@purse/protocol";
import {
  type Config,
  createLogger,
  createServer,
  type MigrationOptions,
  type MigrationReport,
} from "@purse/server";

/**
 * Applies `schemas` and runs the migrations that have not run, as a start of the server does. A dry run changes nothing and
 * returns what the migrations would change.
 */
export async function runMigrateCommand(
  config: Config,
  { warn, ...options }: MigrationOptions & { warn(line: string): void },
): Promise<{ text: string; json: JsonValue }> {
  const logger = createLogger({ level: "warn", format: "text", write: warn });
  // Triggers do not run, and a dry run leaves the classes as they are.
  const settings = { ...config, cloudFile: undefined, ...(options.isDryRun && { schemas: [] }) };
  const server = await createServer(settings, { logger, chains: [] });
  try {
    const reports = await server.migrate(options);
    return { text: reportText(reports, options), json: JSON.parse(JSON.stringify(reports)) };
  } finally {
    await server.stop();
  }
}

function reportText(reports: readonly MigrationReport[], { isDryRun }: MigrationOptions): string {
  if (reports.length === 0) return "There is nothing to migrate.";
  const lines = reports.flatMap(({ name, changes }) => {
    const classes = Object.entries(changes).flatMap(([className, { examples, ...counts }]) => [
      `  ${className}: ${countsText(counts)}`,
      ...(isDryRun ? examples.map((example) => `    ${JSON.stringify(example)}`) : []),
    ]);
    return [
      `${name}${isDryRun ? ", which would write:" : ""}`,
      ...(classes.length > 0 ? classes : ["  nothing"]),
    ];
  });
  return lines.join("\n");
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
    .join(", ");
}

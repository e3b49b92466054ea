import pg, { type ClientConfig } from "pg";

/** URL parameters that the driver handles itself. */
const DRIVER_PARAMETERS: ReadonlySet<string> = new Set([
  "sslmode",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "sslnegotiation",
  "uselibpqcompat",
  "options",
  "host",
  "port",
  "user",
  "password",
  "client_encoding",
]);

/**
 * Converts a connection URL for the driver. With `sslmode=prefer`, `withoutTls` is the configuration to use if the
 * server does not support TLS. Of several hosts (`host1,host2`), each attempt uses the next one. `ssl` is an alias of
 * `sslmode`, whose values have the same meaning as in libpq. Parameters that the driver does not know become settings
 * of the session, or with `isPooled`, as poolers refuse those, statements of each transaction.
 */
export function connectionConfig(
  url: string,
  attempt: number,
  isPooled = false,
): { config: ClientConfig; withoutTls: ClientConfig | undefined; statements: string[] } {
  const target = new URL(url);
  const hosts = target.hostname.split(",");
  const host = hosts[attempt % hosts.length];
  if (hosts.length > 1 && host !== undefined) target.hostname = host;
  const parameters = target.searchParams;
  const ssl = parameters.get("ssl");
  if (ssl !== null) {
    parameters.delete("ssl");
    if (!parameters.has("sslmode")) parameters.set("sslmode", SSL_MODES[ssl] ?? ssl);
  }
  if (parameters.has("sslmode") && !parameters.has("uselibpqcompat"))
    parameters.set("uselibpqcompat", "true");
  const options = [parameters.get("options") ?? ""];
  const statements: string[] = [];
  for (const [name, value] of [...parameters]) {
    if (DRIVER_PARAMETERS.has(name)) continue;
    parameters.delete(name);
    if (name === "application_name" || name === "target_session_attrs") continue;
    if (isPooled) statements.push(setLocally(name, value));
    else options.push(`-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`);
  }
  const all = options.filter((option) => option !== "").join(" ");
  if (all !== "") parameters.set("options", all);
  const config = { connectionString: target.href };
  if (parameters.get("sslmode") !== "prefer") return { config, withoutTls: undefined, statements };
  parameters.set("sslmode", "disable");
  return { config, withoutTls: { connectionString: target.href }, statements };
}

/** A list, such as a search path, is set as it is written, unlike by SET. */
function setLocally(name: string, value: string): string {
  return `SELECT set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true)`;
}

const SSL_MODES: Readonly<Record<string, string>> = {
  true: "require",
  "1": "require",
  allow: "prefer",
  false: "disable",
  "0": "disable",
};

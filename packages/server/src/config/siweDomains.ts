const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(?:[1-9]\d{0,4}|\*))?$/;

/** Parses comma-separated hosts. Throws Error that says what is allowed. */
export function siweDomains(value: string): string[] {
  const domains = value.split(",").map((domain) => domain.trim().toLowerCase());
  if (domains.every((domain) => HOST.test(domain))) return domains;
  throw new Error("it must be hosts such as example.org, localhost:3000 or localhost:*, separated by commas");
}

/** The default hosts: that of the server, and in development also any port of the same machine. */
export function defaultSiweDomains(serverUrl: string, development: boolean): string[] {
  const { host } = new URL(serverUrl);
  return development ? [host, "localhost:*", "127.0.0.1:*", "[::1]:*"] : [host];
}

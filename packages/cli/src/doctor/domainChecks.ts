import { resolve6 } from "node:dns/promises";
import { connect } from "node:net";
import { type Finding, ok, warning } from "./finding.ts";

const TIMEOUT_MS = 8_000;
/** Browsers forget shorter times between two visits, in seconds. */
const MINIMUM_HSTS_SECONDS = 180 * 24 * 3_600;

/** Whether browsers use https only, by the header Strict-Transport-Security of a response. */
export function checkHsts(header: string | null): Finding {
  const seconds = Number(/max-age="?(\d+)/i.exec(header ?? "")?.[1] ?? 0);
  if (seconds >= MINIMUM_HSTS_SECONDS) return ok("HSTS", "browsers use https only");
  return warning(
    "HSTS",
    header === null
      ? "browsers may still use http: responses have no Strict-Transport-Security"
      : `Strict-Transport-Security is too short: ${header}`,
    "Let the reverse proxy send Strict-Transport-Security: max-age=31536000 once all of the domain uses https.",
  );
}

/** Whether http leads to https. Nothing if http is not answered, which is safe, too. */
export async function checkHttpRedirect(
  { hostname }: Pick<URL, "hostname">,
  httpPort = 80,
): Promise<Finding[]> {
  const response = await fetch(`http://${hostname}:${httpPort}/`, {
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  if (!response) return [];
  await response.body?.cancel();
  const target = response.headers.get("location") ?? "";
  if (response.status >= 300 && response.status < 400 && target.startsWith("https://"))
    return [ok("http", "leads to https")];
  return [
    warning(
      "http",
      `http://${hostname} is answered without a redirect to https`,
      "Let the reverse proxy redirect http to https.",
    ),
  ];
}

export interface Ipv6Dependencies {
  /** The IPv6 addresses of a host; rejects if it has none. */
  resolve(hostname: string): Promise<string[]>;
  /** Whether an address accepts connections; undefined if this machine has no IPv6. */
  reaches(address: string, port: number): Promise<boolean | undefined>;
}

/** Whether clients with IPv6 reach the server: some try only the IPv6 addresses of a domain that has them. */
export async function checkIpv6(
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
  { resolve, reaches }: Ipv6Dependencies = { resolve: resolve6, reaches: reachesAddress },
): Promise<Finding[]> {
  if (/^[\d.]+$|^\[/.test(hostname)) return [];
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) return [ok("IPv6", `${hostname} has IPv4 addresses only`)];
  const number = Number(port || (protocol === "https:" ? 443 : 80));
  const results = await Promise.all(addresses.map((address) => reaches(address, number)));
  if (results.includes(undefined))
    return [ok("IPv6", `${hostname} has IPv6 addresses; this machine has none and cannot try them`)];
  const silent = addresses.filter((_, i) => results[i] === false);
  if (silent.length === 0) return [ok("IPv6", `${addresses.join(", ")} answers`)];
  return [
    warning(
      "IPv6",
      `${silent.join(", ")} of ${hostname} does not answer on port ${number}`,
      "Let the reverse proxy listen on IPv6 (nginx: listen [::]:443 ssl), or remove the AAAA record.",
    ),
  ];
}

function reachesAddress(host: string, port: number): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (result: boolean | undefined) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", ({ code }: NodeJS.ErrnoException) =>
      end(code === "ENETUNREACH" || code === "EADDRNOTAVAIL" ? undefined : false),
    );
  });
}

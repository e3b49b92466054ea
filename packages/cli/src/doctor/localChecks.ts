import { constants } from "node:fs";
import { access, mkdir, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { type Config, syntaxProblem } from "@purse/server";
import { type Finding, failure, messageOf, ok, warning } from "./finding.ts";

const GIB = 2 ** 30;
const FEW_BYTES = 2 * GIB;
const TOO_FEW_BYTES = GIB / 8;
/** Node.js strips the types of cloud code and config files from this version on. */
const MINIMUM_NODE = [22, 18] as const;

export function checkNode(version: string = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minimumMajor, minimumMinor] = MINIMUM_NODE;
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor))
    return [ok("node", `Node.js ${version}`)];
  return [
    failure("node", `Node.js ${version} is too old`, `Install Node.js ${MINIMUM_NODE.join(".")} or later.`),
  ];
}

/** Variables of the environment that are ignored, and combinations of settings that are valid and wrong in production. */
export function checkSettings(config: Config): Finding[] {
  const ignored = config.unknownVariables.map(({ name, advice }) =>
    warning("settings", `${name} is ignored`, advice),
  );
  return [...ignored, ...checkCombinations(config)];
}

function checkCombinations(config: Config): Finding[] {
  const { environment, serverUrl, smtpUrl, trustedProxies, masterKeyIps } = config;
  if (environment !== "production") {
    const isOpen = config.host !== "127.0.0.1" && config.host !== "::1" && config.host !== "localhost";
    return isOpen
      ? [
          warning(
            "settings",
            `the server accepts connections from other machines (${config.host}) in development mode`,
            "Set PURSE_ENV=production, or PURSE_HOST=127.0.0.1.",
          ),
        ]
      : [ok("settings", "development mode, on this machine only")];
  }
  const findings: Finding[] = [];
  if (serverUrl === undefined)
    findings.push(failure("settings", "the public URL is unknown", "Set PURSE_SERVER_URL=https://…/server."));
  else if (new URL(serverUrl).protocol !== "https:")
    findings.push(
      failure(
        "settings",
        `${serverUrl} is not encrypted: sessions can be read on the way`,
        "Put a reverse proxy with TLS in front, and set PURSE_SERVER_URL to its https:// URL.",
      ),
    );
  if (trustedProxies.length === 0)
    findings.push(
      warning(
        "settings",
        "no reverse proxy is trusted: all clients behind one share its address, and its limits",
        "Set PURSE_TRUSTED_PROXIES to the address of the reverse proxy, such as loopback.",
      ),
    );
  if (smtpUrl === undefined)
    findings.push(
      warning("settings", "no mail server: passwords cannot be reset by email", "Set PURSE_SMTP_URL."),
    );
  if (masterKeyIps.includes("0.0.0.0/0") || masterKeyIps.includes("::/0"))
    findings.push(
      warning("settings", "the master key is accepted from everywhere", "Narrow PURSE_MASTER_KEY_IPS."),
    );
  return findings.length > 0 ? findings : [ok("settings", "ready for production")];
}

/** The data folder: it can be written, and there is space left. */
export async function checkDataFolder({ dataDir }: Config): Promise<Finding[]> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      failure("folder", `${dataDir}: ${messageOf(error)}`, "Give its user the folder, or change --data-dir."),
    ];
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const space = `${(free / GIB).toFixed(1)} GiB free in ${dataDir}`;
  if (free < TOO_FEW_BYTES) return [failure("disk", space, "Free space: writes fail when it is full.")];
  if (free < FEW_BYTES) return [warning("disk", space, "Free space, or move the data folder.")];
  return [ok("disk", space)];
}

/** Whether the server can listen, or listens already. */
export async function checkPort({ host, port }: Config): Promise<Finding[]> {
  if (port === 0) return [ok("port", "a free port is chosen at every start")];
  const problem = await new Promise<unknown>((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (problem === undefined) return [ok("port", `${port} is free`)];
  const answer = await fetch(`http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}/health`, {
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  const health: unknown = await answer?.json().catch(() => undefined);
  if (typeof health === "object" && health !== null && "leases" in health)
    return [ok("port", `a server answers on port ${port}`)];
  return [
    failure(
      "port",
      `${port} of ${host}: ${messageOf(problem)}`,
      "Choose another with --port, or free this one.",
    ),
  ];
}

/** Whether the cloud code can be parsed. */
export function checkCloudCode({ cloudFile }: Config): Finding[] {
  if (cloudFile === undefined) return [ok("cloud code", "none")];
  const problem = syntaxProblem(cloudFile);
  if (!problem) return [ok("cloud code", cloudFile)];
  return [
    failure(
      "cloud code",
      `${problem.location}: ${problem.message}`,
      "Mend the file: without it no function runs.",
    ),
  ];
}

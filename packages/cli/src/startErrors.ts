import type { Config } from "@purse/server";

/** Tells operators what to change after a start that failed because of the machine; returns other errors unchanged. */
export function explainStartError(
  error: unknown,
  { host, port, dataDir }: Pick<Config, "host" | "port" | "dataDir">,
): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "EADDRINUSE")
    return new Error(
      `Port ${port} of ${host} is in use: stop the process that uses it, or choose another with --port`,
    );
  if (error.code !== "EACCES") return error;
  if ("syscall" in error && error.syscall === "listen")
    return new Error(
      `Port ${port} of ${host} needs permissions that this user does not have: choose another with --port`,
    );
  const path = "path" in error ? String(error.path) : dataDir;
  return new Error(`This user may not write ${path}: change its permissions, or set another PURSE_DATA_DIR`);
}

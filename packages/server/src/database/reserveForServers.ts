import { type Store, UniqueConstraintError } from "./store.ts";

export interface ReserveForServersOptions {
  store: Pick<Store, "write" | "now">;
  scope: string;
  value: string;
  /** What servers that may share the value have in common. */
  owner: string;
  /** The error if a server with another owner runs, or did so until a moment ago. */
  conflict: string;
  report(error: unknown, activity: string): void;
}

/** How long a reservation remains after its last server was killed, in seconds. */
export const RESERVED_SECONDS = 30;
const RENEW_MS = 10_000;

/** Reserves a value for this server and others with the same owner, as long as one of them runs. Returns what ends it. Throws Error. */
export async function reserveForServers(options: ReserveForServersOptions): Promise<() => void> {
  const { store, scope, value, owner, conflict, report } = options;
  const reserve = () =>
    store.write([
      { kind: "reserveUnique", scope, value, owner, expiresAt: store.now() + RESERVED_SECONDS * 1_000 },
    ]);
  try {
    await reserve();
  } catch (error) {
    throw error instanceof UniqueConstraintError ? new Error(conflict) : error;
  }
  const timer = setInterval(() => {
    reserve().catch((error: unknown) => report(error, `reserving ${scope}`));
  }, RENEW_MS);
  timer.unref();
  return () => clearInterval(timer);
}

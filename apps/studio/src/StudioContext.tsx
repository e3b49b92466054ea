import type { StudioOperator, StudioRole } from "@purse/server/studio-api";
import { createContext, useContext, useSyncExternalStore } from "react";
import { type SessionState, StudioApi } from "./api.ts";

export const StudioContext = createContext(new StudioApi());

export function useStudio(): StudioApi {
  return useContext(StudioContext);
}

/** The session; undefined until it is loaded. */
export function useSession(): SessionState | undefined {
  const studio = useStudio();
  return useSyncExternalStore(studio.subscribe, () => studio.session);
}

/** The signed-in operator. Throws if no operator is signed in, so only pages inside RequireSession may use it. */
export function useOperator(): StudioOperator {
  const session = useSession();
  if (session?.state.state !== "signedIn") throw new Error("No operator is signed in.");
  return session.state.operator;
}

const RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Whether the operator has at least this role. The server checks it too. */
export function useHasRole(requiredRole: StudioRole): boolean {
  return RANK[useOperator().role] >= RANK[requiredRole];
}

import type { StudioOperator, StudioRole } from "@purse/protocol";
import { createContext, useContext, useSyncExternalStore } from "react";
import { type SessionState, StudioApi } from "./api.ts";

export const StudioContext = createContext(new StudioApi());

export function useStudio(): StudioApi {
  return useContext(StudioContext);
}

/** Who works here; undefined until the server has told. */
export function useSession(): SessionState | undefined {
  const studio = useStudio();
  return useSyncExternalStore(studio.subscribe, () => studio.session);
}

/** The operator who is signed in. For rooms, which are shown to nobody else. */
export function useOperator(): StudioOperator {
  const session = useSession();
  if (session?.state.state !== "signedIn") throw new Error("No operator is signed in.");
  return session.state.operator;
}

const RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Whether the operator has a role, or a higher one. The server judges again. */
export function useHasRole(requiredRole: StudioRole): boolean {
  return RANK[useOperator().role] >= RANK[requiredRole];
}

import { revokeOperatorSessions } from "../auth/operatorSessions.ts";
import { Passwords } from "../auth/password.ts";
import { publishInvalidation } from "../auth/sessionInvalidation.ts";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import type { Store } from "../database/store.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import { Operators } from "./operators.ts";
import { StudioSessions } from "./sessions.ts";

/** Operator accounts as managed from the command line, whether or not a server is running. */
export interface OperatorAccounts {
  /** Throws ProtocolError with the reason if the input is invalid. */
  add(input: { username: string; password: string; role: string }): Promise<StudioOperator>;
  list(): Promise<StudioOperator[]>;
  /** Sets a new password, removes the second factor and the passkeys, and ends all sessions. */
  reset(username: string, password: string): Promise<void>;
  /** Throws if no owner would remain. */
  remove(username: string): Promise<void>;
}

export async function openOperators(store: Store): Promise<OperatorAccounts> {
  const dependencies = { store, classes: await openStudioClasses(store), clock: Date.now };
  const operators = new Operators({ ...dependencies, passwords: new Passwords() });
  const sessions = new StudioSessions(dependencies);
  const requireId = async (username: string) => {
    const id = await operators.findId(username);
    if (id === undefined) throw new Error(`The operator "${username}" does not exist`);
    return id;
  };
  const endSessionsOfUsers = async (id: string) => {
    for (const sessionId of await revokeOperatorSessions(store, id))
      await publishInvalidation(store, { sessionId });
  };
  return {
    add: (input) => operators.add(input),
    list: () => operators.list(),
    async reset(username, password) {
      const id = await requireId(username);
      await operators.setPassword(id, password);
      await operators.removeFactor(id);
      await operators.removePasskeys(id);
      await store.write(await sessions.endAll(id));
      await endSessionsOfUsers(id);
    },
    async remove(username) {
      const id = await requireId(username);
      await operators.remove(id);
      await store.write(await sessions.endAll(id));
      await endSessionsOfUsers(id);
    },
  };
}

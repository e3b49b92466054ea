import type { StudioOperator } from "@purse/protocol";
import { Passwords } from "../auth/password.ts";
import type { Store } from "../store/store.ts";
import { Operators } from "./operators.ts";
import { StudioSessions } from "./sessions.ts";
import { openStudioClasses } from "./studioClasses.ts";

/** Operators as whoever has the machine changes them, while a server runs or not. */
export interface OperatorAccounts {
  /** Throws ProtocolError that says what is wrong. */
  add(given: { username: string; password: string; role: string }): Promise<StudioOperator>;
  list(): Promise<StudioOperator[]>;
  /** A new password, without a second factor; all sessions end. */
  reset(username: string, password: string): Promise<void>;
  /** Throws where no owner would be left. */
  remove(username: string): Promise<void>;
}

export async function openOperators(store: Store): Promise<OperatorAccounts> {
  const parts = { store, classes: await openStudioClasses(store), clock: Date.now };
  const operators = new Operators({ ...parts, passwords: new Passwords() });
  const sessions = new StudioSessions(parts);
  const idOf = async (username: string) => {
    const id = await operators.idOf(username);
    if (id === undefined) throw new Error(`There is no operator "${username}"`);
    return id;
  };
  return {
    add: (given) => operators.add(given),
    list: () => operators.list(),
    async reset(username, password) {
      const id = await idOf(username);
      await operators.setPassword(id, password);
      await operators.removeFactor(id);
      await store.write(await sessions.endAll(id));
    },
    async remove(username) {
      const id = await idOf(username);
      await operators.remove(id);
      await store.write(await sessions.endAll(id));
    },
  };
}

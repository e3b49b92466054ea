import { findRows } from "../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";

/** The unique value whose owner determines who may read users that are created without an ACL. */
const NEW_USERS = { scope: "_User.read", value: "new" } as const;

/** `private`: only themselves. `public`: everybody. */
export type UserReadAccess = "private" | "public";

/** Whether a unique value is the recorded access to new users. */
export function isUserReadAccess({ scope, value }: { scope: string; value: string }): boolean {
  return scope === NEW_USERS.scope && value === NEW_USERS.value;
}

/** The writes that record the access to new users, instead of what was recorded before. */
export function userReadAccessWrites(access: UserReadAccess): Write[] {
  return [
    { kind: "releaseUnique", ...NEW_USERS },
    { kind: "reserveUnique", ...NEW_USERS, owner: access },
  ];
}

/**
 * Whether new users are private. The first one records it: in a database without users they are, in one with users from
 * before they stay public. The setting takes precedence.
 */
export class PrivateUsers {
  readonly #dependencies: Pick<AuthDependencies, "store" | "schemaOf" | "config">;

  constructor(dependencies: Pick<AuthDependencies, "store" | "schemaOf" | "config">) {
    this.#dependencies = dependencies;
  }

  /** Call it before a user is written. It is read for each one, because an import may change it while the server runs. */
  async arePrivate(): Promise<boolean> {
    const { store, config } = this.#dependencies;
    const recorded = await store.getUniqueOwner(NEW_USERS.scope, NEW_USERS.value);
    const access = recorded ?? (await this.#record());
    return config.enforcePrivateUsers ?? access !== "public";
  }

  async #record(): Promise<string> {
    const { store, schemaOf } = this.#dependencies;
    const access = (await hasUsers(store, schemaOf("_User"))) ? "public" : "private";
    try {
      await store.write([{ kind: "reserveUnique", ...NEW_USERS, owner: access }]);
      return access;
    } catch (error) {
      // Another process has recorded it at the same time.
      if (error instanceof UniqueConstraintError) return error.owner;
      throw error;
    }
  }
}

/** Whether a database has users. */
export async function hasUsers(store: Store, schema: Parameters<Store["get"]>[0]): Promise<boolean> {
  const found = await findRows(store, schema, { limit: 1 });
  return found.length > 0;
}

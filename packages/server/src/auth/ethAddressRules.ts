import { isPointer } from "@purse/protocol";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { credentialsConflictError, hasSignInWithoutWallet, lockCredentials } from "./keepSignInMethod.ts";
import type { UserPasskeys } from "./passkeys/userPasskeys.ts";
import type { Sessions } from "./sessions.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import type { Wallets } from "./wallets.ts";

/** Rules of `_EthAddress`, the index of linked wallets. The server creates the records; deleting one unlinks the wallet. */
export function ethAddressRules(
  dependencies: AuthDependencies,
  wallets: Wallets,
  passkeys: UserPasskeys,
  sessions: Sessions,
): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._EthAddress,
    beforeCreate() {
      throw operationForbidden("Addresses are linked by signing in with their wallet.");
    },
    beforeUpdate() {
      throw operationForbidden("A linked address cannot be changed.");
    },
    async beforeDelete(pending) {
      const user = pending.original?.user;
      if (!isPointer(user)) return;
      // The user also loses the roles that the tokens of this wallet gave access to.
      pending.afterCommit.push(() => sessions.invalidate({ userId: user.objectId }));
      const credentialsLock = await lockCredentials(dependencies.store, user.objectId);
      pending.additionalWrites.push({
        kind: "releaseUnique",
        scope: UNIQUE_KEYS.address,
        value: pending.objectId,
        owner: user.objectId,
      });
      pending.additionalWrites.push({
        kind: "releaseUnique",
        scope: UNIQUE_KEYS.contractChain,
        value: pending.objectId,
      });
      const schema = dependencies.schemaOf("_User");
      const found = await dependencies.store.getSecret(schema, user.objectId);
      if (!found) return;
      const { accounts: known, ethAddress } = JSON.parse(found.text);
      const remaining = (await wallets.addressesOf(user.objectId, known)).filter(
        (address) => address !== pending.objectId,
      );
      const isOnlyMethod =
        remaining.length === 0 &&
        !hasSignInWithoutWallet(found.secret) &&
        !(await passkeys.hasAny(user.objectId));
      if (isOnlyMethod) {
        throw operationForbidden(
          "This is the account's only sign-in method: set a password or link another wallet first.",
        );
      }
      const [first] = remaining;
      const current = remaining.includes(ethAddress) ? ethAddress : first;
      pending.additionalWrites.push(...credentialsLock, {
        kind: "update",
        schema,
        id: user.objectId,
        at: new Date(dependencies.clock()).toISOString(),
        operations: {
          accounts: { op: "Remove", objects: [pending.objectId] },
          ethAddress: current === undefined ? { op: "Delete" } : { op: "Set", value: current },
        },
        subjects: null,
      });
    },
    onUniqueConstraint: (conflict) =>
      conflict.scope === UNIQUE_KEYS.credentials ? credentialsConflictError() : conflict,
  };
}

import { ErrorCode, isPointer, ProtocolError } from "@purse/protocol";
import type { ClassRules } from "../objects/rules.ts";
import { credentialsChanged, credentialsTurn, hasWayInWithoutWallet } from "./credentials.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import type { Sessions } from "./sessions.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";
import type { Wallets } from "./wallets.ts";

/** `_EthAddress`: the index of linked wallets. The server makes the records; deleting one unlinks the wallet. */
export function ethAddressRules(parts: AccountsParts, wallets: Wallets, sessions: Sessions): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._EthAddress,
    beforeCreate() {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        "Addresses are linked by signing in with their wallet.",
      );
    },
    beforeUpdate() {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "A linked address cannot be changed.");
    },
    async beforeDelete(draft) {
      const user = draft.original?.user;
      if (!isPointer(user)) return;
      // What its tokens gave access to ends with it.
      draft.afterwards.push(() => sessions.forget({ userId: user.objectId }));
      const turn = await credentialsTurn(parts.store, user.objectId);
      draft.writes.push({
        kind: "release",
        scope: CLAIM.address,
        value: draft.objectId,
        owner: user.objectId,
      });
      draft.writes.push({ kind: "release", scope: CLAIM.contractChain, value: draft.objectId });
      const schema = parts.schemaOf("_User");
      const found = await parts.store.getSecret(schema, user.objectId);
      if (!found) return;
      const { accounts: known, ethAddress } = JSON.parse(found.text);
      const rest = (await wallets.addressesOf(user.objectId, known)).filter(
        (address) => address !== draft.objectId,
      );
      if (rest.length === 0 && !hasWayInWithoutWallet(found.secret)) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          "This is the only way into the account: set a password or link another wallet first.",
        );
      }
      const [first] = rest;
      const current = rest.includes(ethAddress) ? ethAddress : first;
      draft.writes.push(...turn, {
        kind: "update",
        schema,
        id: user.objectId,
        at: new Date(parts.clock()).toISOString(),
        operations: {
          accounts: { op: "Remove", objects: [draft.objectId] },
          ethAddress: current === undefined ? { op: "Delete" } : { op: "Set", value: current },
        },
        principals: null,
      });
    },
    onClaimTaken: (taken) => (taken.scope === CLAIM.credentials ? credentialsChanged() : taken),
  };
}

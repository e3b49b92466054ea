import { ErrorCode, isPointer, ProtocolError } from "@purse/protocol";
import type { ClassRules } from "../objects/rules.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import type { Wallets } from "./wallets.ts";

/** `_EthAddress`: the index of linked wallets. The server makes the records; deleting one unlinks the wallet. */
export function ethAddressRules(parts: AccountsParts, wallets: Wallets): ClassRules {
  return {
    className: "_EthAddress",
    fields: { user: { type: "Pointer", targetClass: "_User" } },
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
      const schema = parts.schemaOf("_User");
      const found = await parts.store.getSecret(schema, user.objectId);
      draft.writes.push({
        kind: "release",
        scope: CLAIM.address,
        value: draft.objectId,
        owner: user.objectId,
      });
      if (!found) return;
      const known = JSON.parse(found.text).accounts;
      const rest = (await wallets.addressesOf(user.objectId, known)).filter(
        (address) => address !== draft.objectId,
      );
      if (rest.length === 0 && found.secret.passwordHash === undefined) {
        throw new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          "This is the only way into the account: set a password or link another wallet first.",
        );
      }
      const [first] = rest;
      draft.writes.push({
        kind: "update",
        schema,
        id: user.objectId,
        at: new Date(parts.clock()).toISOString(),
        operations: {
          accounts: { op: "Set", value: rest },
          ethAddress: first === undefined ? { op: "Delete" } : { op: "Set", value: first },
        },
        principals: null,
      });
    },
  };
}

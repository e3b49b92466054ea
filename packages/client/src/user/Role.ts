import { ErrorCode, isRoleName, ProtocolError } from "@purse/protocol";
import type { ACL } from "../object/ACL.ts";
import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import type { Relation } from "../object/Relation.ts";
import { registerClass } from "../object/registry.ts";
import type { User } from "./User.ts";

/** A named group of users and of other roles. */
export class Role extends ParseObject {
  static readonly className: string = "_Role";

  // Applications that do not import the class get plain objects.
  static {
    registerClass("_Role", Role);
  }

  /** Without arguments the role is filled by a fetch. Throws −1 for an invalid name. */
  constructor(name?: string, acl?: ACL) {
    super("_Role");
    if (name !== undefined) this._setOrThrow({ name });
    if (acl !== undefined) this._setOrThrow({ ACL: acl });
  }

  getName(): string {
    const name = this._get("name");
    return typeof name === "string" ? name : "";
  }

  /** Only before the first save; returns false if it is rejected. */
  setName(name: string): this | false {
    return this._set({ name });
  }

  getUsers(): Relation<User> {
    return this.relation<User>("users");
  }

  getRoles(): Relation<Role> {
    return this.relation<Role>("roles");
  }

  override validate(fields: Attributes): Error | false {
    const error = super.validate(fields);
    if (error || !("name" in fields) || fields.name === this.getName()) return error;
    if (this.id) return validationError("A role's name can only be set before it has been saved.");
    if (typeof fields.name !== "string") return validationError("A role's name must be a String.");
    if (isRoleName(fields.name)) return false;
    return validationError("A role's name can be only contain alphanumeric characters, _, -, and spaces.");
  }
}

function validationError(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}

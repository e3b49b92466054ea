import { type Acl, type AclEntry, jsonKey, PUBLIC, ROLE_PREFIX } from "@purse/protocol";

/** A user or a role: an id, or an object of one of those classes. */
export type Principal =
  | string
  | { readonly className: string; readonly id?: string | undefined; getName?(): string };

type Permission = "read" | "write";

/** The access control list of an object. Without entries only the master key has access. */
export class ACL {
  #entries: Acl = {};

  /** From a user: grants them read and write access. From a map: copies its entries. Throws TypeError. */
  constructor(from?: Acl | Exclude<Principal, string> | null) {
    if (from === undefined || from === null) return;
    if (typeof from === "function") {
      throw new TypeError("Tried to create an ACL with a function.");
    }
    const entries = isUser(from) ? { [principalId(from)]: { read: true, write: true } } : from;
    for (const [principal, entry] of Object.entries(entries)) this.#addEntry(principal, entry);
  }

  /** Parses an untyped map. Throws TypeError. */
  static fromJSON(json: object): ACL {
    return new ACL({ ...json });
  }

  #addEntry(principal: string, entry: unknown): void {
    if (typeof entry !== "object" || entry === null)
      throw new TypeError("Tried to create an ACL with an invalid entry.");
    const permissions: AclEntry = {};
    for (const [permission, allowed] of Object.entries(entry)) {
      if (permission !== "read" && permission !== "write") {
        throw new TypeError("Tried to create an ACL with an invalid permission type.");
      }
      if (typeof allowed !== "boolean") {
        throw new TypeError("Tried to create an ACL with an invalid permission value.");
      }
      if (allowed) permissions[permission] = true;
    }
    if (permissions.read || permissions.write) this.#entries[principal] = permissions;
  }

  #set(permission: Permission, principal: Principal, allowed: boolean): void {
    if (typeof allowed !== "boolean") throw new TypeError("allowed must be either true or false.");
    const id = principalId(principal);
    const entry: AclEntry = { ...this.#entries[id], [permission]: allowed };
    delete this.#entries[id];
    this.#addEntry(id, entry);
  }

  #get(permission: Permission, principal: Principal): boolean {
    return this.#entries[principalId(principal)]?.[permission] === true;
  }

  setReadAccess(principal: Principal, allowed: boolean): void {
    this.#set("read", principal, allowed);
  }

  getReadAccess(principal: Principal): boolean {
    return this.#get("read", principal);
  }

  setWriteAccess(principal: Principal, allowed: boolean): void {
    this.#set("write", principal, allowed);
  }

  getWriteAccess(principal: Principal): boolean {
    return this.#get("write", principal);
  }

  setPublicReadAccess(allowed: boolean): void {
    this.#set("read", PUBLIC, allowed);
  }

  getPublicReadAccess(): boolean {
    return this.#get("read", PUBLIC);
  }

  setPublicWriteAccess(allowed: boolean): void {
    this.#set("write", PUBLIC, allowed);
  }

  getPublicWriteAccess(): boolean {
    return this.#get("write", PUBLIC);
  }

  setRoleReadAccess(role: Principal, allowed: boolean): void {
    this.#set("read", roleId(role), allowed);
  }

  getRoleReadAccess(role: Principal): boolean {
    return this.#get("read", roleId(role));
  }

  setRoleWriteAccess(role: Principal, allowed: boolean): void {
    this.#set("write", roleId(role), allowed);
  }

  getRoleWriteAccess(role: Principal): boolean {
    return this.#get("write", roleId(role));
  }

  equals(other: unknown): boolean {
    return other instanceof ACL && jsonKey(other.toJSON()) === jsonKey(this.toJSON());
  }

  toJSON(): Record<string, Record<string, boolean>> {
    const json: Record<string, Record<string, boolean>> = {};
    for (const [id, entry] of Object.entries(this.#entries)) json[id] = { ...entry };
    return json;
  }
}

function isUser(value: object): value is Exclude<Principal, string> {
  return "className" in value && value.className === "_User";
}

function principalId(principal: Principal): string {
  if (typeof principal === "string") return principal;
  if (principal?.className === "_Role") return roleId(principal);
  if (principal?.className !== "_User") throw new TypeError("userId must be a string.");
  if (!principal.id) throw new Error("Cannot get access for a user with no id.");
  return principal.id;
}

function roleId(role: Principal): string {
  const name = typeof role === "string" ? role : role.getName?.();
  if (!name) throw new TypeError("role must be a ParseRole or a String");
  return `${ROLE_PREFIX}${name}`;
}

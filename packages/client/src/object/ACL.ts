import { type Acl, type AclEntry, jsonKey, PUBLIC, ROLE_PREFIX } from "@purse/protocol";

/** A user or a role: an id, or an object of one of those classes. */
export type AclSubject =
  | string
  | { readonly className: string; readonly id?: string | undefined; getName?(): string };

type Permission = "read" | "write";

/** The access control list of an object. Without entries only the master key has access. */
export class ACL {
  #entries: Acl = {};

  /** From a user: grants them read and write access. From a map: copies its entries. Throws TypeError. */
  constructor(from?: Acl | Exclude<AclSubject, string> | null) {
    if (from === undefined || from === null) return;
    if (typeof from === "function") {
      throw new TypeError("Tried to create an ACL with a function.");
    }
    const entries = isUser(from) ? { [subjectId(from)]: { read: true, write: true } } : from;
    for (const [subject, entry] of Object.entries(entries)) this.#addEntry(subject, entry);
  }

  /** Parses an untyped map. Throws TypeError. */
  static fromJSON(json: object): ACL {
    return new ACL({ ...json });
  }

  #addEntry(subject: string, entry: unknown): void {
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
    if (permissions.read || permissions.write) this.#entries[subject] = permissions;
  }

  #set(permission: Permission, subject: AclSubject, allowed: boolean): void {
    if (typeof allowed !== "boolean") throw new TypeError("allowed must be either true or false.");
    const id = subjectId(subject);
    const entry: AclEntry = { ...this.#entries[id], [permission]: allowed };
    delete this.#entries[id];
    this.#addEntry(id, entry);
  }

  #get(permission: Permission, subject: AclSubject): boolean {
    return this.#entries[subjectId(subject)]?.[permission] === true;
  }

  setReadAccess(subject: AclSubject, allowed: boolean): void {
    this.#set("read", subject, allowed);
  }

  getReadAccess(subject: AclSubject): boolean {
    return this.#get("read", subject);
  }

  setWriteAccess(subject: AclSubject, allowed: boolean): void {
    this.#set("write", subject, allowed);
  }

  getWriteAccess(subject: AclSubject): boolean {
    return this.#get("write", subject);
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

  setRoleReadAccess(role: AclSubject, allowed: boolean): void {
    this.#set("read", roleId(role), allowed);
  }

  getRoleReadAccess(role: AclSubject): boolean {
    return this.#get("read", roleId(role));
  }

  setRoleWriteAccess(role: AclSubject, allowed: boolean): void {
    this.#set("write", roleId(role), allowed);
  }

  getRoleWriteAccess(role: AclSubject): boolean {
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

function isUser(value: object): value is Exclude<AclSubject, string> {
  return "className" in value && value.className === "_User";
}

function subjectId(subject: AclSubject): string {
  if (typeof subject === "string") return subject;
  if (subject?.className === "_Role") return roleId(subject);
  if (subject?.className !== "_User") throw new TypeError("userId must be a string.");
  if (!subject.id) throw new Error("Cannot get access for a user with no id.");
  return subject.id;
}

function roleId(role: AclSubject): string {
  const name = typeof role === "string" ? role : role.getName?.();
  if (!name) throw new TypeError("role must be a ParseRole or a String");
  return `${ROLE_PREFIX}${name}`;
}

import { type JsonObject, PUBLIC, ROLE_PREFIX } from "@purse/protocol";
import type { AclSubject } from "./ACL.ts";

const OPERATIONS = ["get", "find", "count", "create", "update", "delete", "addField"] as const;
const READ = ["get", "find", "count"] as const;
const WRITE = ["create", "update", "delete", "addField"] as const;
type Operation = (typeof OPERATIONS)[number];
type UserFields = "readUserFields" | "writeUserFields";

/** Who may perform an operation, by user id, "role:…" or "*"; and the pointer fields that grant it. */
type Access = Record<string, boolean | string[]>;
type Permissions = Record<Operation, Access> & { protectedFields: Record<string, string[]> } & Partial<
    Record<UserFields, string[]>
  >;

/** The methods of each operation: `getFindAccess`, `setPublicFindAccess`, … */
type OperationMethods<O extends string> = {
  [M in `get${O}RequiresAuthentication` | `getPublic${O}Access`]: () => boolean;
} & { [M in `set${O}RequiresAuthentication` | `setPublic${O}Access`]: (allowed: boolean) => void } & {
  [M in `get${O}PointerFields`]: () => string[] | undefined;
} & { [M in `set${O}PointerFields`]: (fields?: readonly string[]) => void } & {
  [M in `get${O}Access` | `getRole${O}Access`]: (subject: AclSubject) => boolean;
} & { [M in `set${O}Access` | `setRole${O}Access`]: (subject: AclSubject, allowed: boolean) => void };

/** Class-level permissions: who may perform which operations on a class. */
export type CLP = ClassPermissions & OperationMethods<Capitalize<Operation>>;

class ClassPermissions {
  permissionsMap: Permissions = {
    get: {},
    find: {},
    count: {},
    create: {},
    update: {},
    delete: {},
    addField: {},
    protectedFields: {},
  };

  /** From a user or role: grants it read and write access. From a map: copies its entries. Throws TypeError. */
  constructor(from?: JsonObject | Exclude<AclSubject, string> | null) {
    if (typeof from === "function") {
      throw new TypeError("ParseCLP constructed with a function. Did you forget ()?");
    }
    if (!from) return;
    if (isAclSubject(from)) {
      this.setReadAccess(from, true);
      this.setWriteAccess(from, true);
      return;
    }
    for (const [permission, value] of Object.entries(from)) this.#setPermission(permission, value);
  }

  #setPermission(permission: string, value: unknown): void {
    if (permission === "readUserFields" || permission === "writeUserFields") {
      if (!isStringArray(value)) throw invalidValue();
      this.permissionsMap[permission] = [...value];
      return;
    }
    const operation = OPERATIONS.find((name) => name === permission);
    if (!operation && permission !== "protectedFields")
      throw new TypeError("Tried to create an CLP with an invalid permission type.");
    if (typeof value !== "object" || value === null) throw invalidValue();
    for (const [subject, allowed] of Object.entries(value)) {
      const fields = !operation || subject === "pointerFields";
      if (fields ? !isStringArray(allowed) : typeof allowed !== "boolean") throw invalidValue();
      if (operation) this.permissionsMap[operation][subject] = allowed;
      else this.permissionsMap.protectedFields[subject] = allowed;
    }
  }

  /** @internal */
  _getAccess(operation: Operation, key: string): boolean {
    return Boolean(this.permissionsMap[operation][key]);
  }

  /** @internal */
  _setAccess(operations: readonly Operation[], key: string, allowed: boolean): void {
    if (typeof allowed !== "boolean") throw new TypeError("allowed must be either true or false.");
    for (const operation of operations) {
      if (allowed) this.permissionsMap[operation][key] = true;
      else delete this.permissionsMap[operation][key];
    }
  }

  /** @internal */
  _getPointerFields(operation: Operation): string[] | undefined {
    const fields = this.permissionsMap[operation].pointerFields;
    return isStringArray(fields) ? fields : undefined;
  }

  /** @internal */
  _setPointerFields(operation: Operation, fields?: readonly string[]): void {
    setFields(this.permissionsMap[operation], "pointerFields", fields, "fields");
  }

  /** Pointer fields whose users may read the object. */
  getReadUserFields(): string[] | undefined {
    return this.permissionsMap.readUserFields;
  }

  setReadUserFields(fields?: readonly string[]): void {
    setFields(this.permissionsMap, "readUserFields", fields, "readUserFields.pointerFields");
  }

  /** Pointer fields whose users may update and delete the object. */
  getWriteUserFields(): string[] | undefined {
    return this.permissionsMap.writeUserFields;
  }

  setWriteUserFields(fields?: readonly string[]): void {
    setFields(this.permissionsMap, "writeUserFields", fields, "writeUserFields.pointerFields");
  }

  /** Fields that are hidden from this user or role. */
  getProtectedFields(subject: AclSubject): string[] | undefined {
    return this.permissionsMap.protectedFields[keyOf(subject)];
  }

  setProtectedFields(subject: AclSubject, fields?: readonly string[]): void {
    setFields(this.permissionsMap.protectedFields, keyOf(subject), fields, "fields");
  }

  getPublicProtectedFields(): string[] | undefined {
    return this.getProtectedFields(PUBLIC);
  }

  setPublicProtectedFields(fields?: readonly string[]): void {
    this.setProtectedFields(PUBLIC, fields);
  }

  getRoleProtectedFields(role: AclSubject): string[] | undefined {
    return this.getProtectedFields(roleKey(role));
  }

  setRoleProtectedFields(role: AclSubject, fields?: readonly string[]): void {
    this.setProtectedFields(roleKey(role), fields);
  }

  /** Whether all of get, find and count are allowed. */
  getReadAccess(subject: AclSubject): boolean {
    return READ.every((operation) => this._getAccess(operation, keyOf(subject)));
  }

  setReadAccess(subject: AclSubject, allowed: boolean): void {
    this._setAccess(READ, keyOf(subject), allowed);
  }

  /** Whether all of create, update, delete and addField are allowed. */
  getWriteAccess(subject: AclSubject): boolean {
    return WRITE.every((operation) => this._getAccess(operation, keyOf(subject)));
  }

  setWriteAccess(subject: AclSubject, allowed: boolean): void {
    this._setAccess(WRITE, keyOf(subject), allowed);
  }

  getPublicReadAccess(): boolean {
    return this.getReadAccess(PUBLIC);
  }

  setPublicReadAccess(allowed: boolean): void {
    this.setReadAccess(PUBLIC, allowed);
  }

  getPublicWriteAccess(): boolean {
    return this.getWriteAccess(PUBLIC);
  }

  setPublicWriteAccess(allowed: boolean): void {
    this.setWriteAccess(PUBLIC, allowed);
  }

  getRoleReadAccess(role: AclSubject): boolean {
    return this.getReadAccess(roleKey(role));
  }

  setRoleReadAccess(role: AclSubject, allowed: boolean): void {
    this.setReadAccess(roleKey(role), allowed);
  }

  getRoleWriteAccess(role: AclSubject): boolean {
    return this.getWriteAccess(roleKey(role));
  }

  setRoleWriteAccess(role: AclSubject, allowed: boolean): void {
    this.setWriteAccess(roleKey(role), allowed);
  }

  equals(other: unknown): boolean {
    return other instanceof ClassPermissions && canonical(this.toJSON()) === canonical(other.toJSON());
  }

  toJSON(): JsonObject {
    return structuredClone(this.permissionsMap);
  }
}

/** Creates class-level permissions: `new CLP()` allows nothing, `new CLP(user)` grants a user read and write access. */
export const CLP: {
  new (from?: JsonObject | Exclude<AclSubject, string> | null): CLP;
  readonly prototype: CLP;
} = /* @__PURE__ */ addOperationMethods(ClassPermissions);

function addOperationMethods(Class: typeof ClassPermissions) {
  const methods: Record<string, unknown> = {};
  for (const operation of OPERATIONS) {
    const name = operation.charAt(0).toUpperCase() + operation.slice(1);
    const addSubjectMethods = (prefix: string, key: (subject: AclSubject) => string): void => {
      methods[`get${prefix}${name}Access`] = function (this: ClassPermissions, subject: AclSubject) {
        return this._getAccess(operation, key(subject));
      };
      methods[`set${prefix}${name}Access`] = function (
        this: ClassPermissions,
        subject: AclSubject,
        allowed: boolean,
      ) {
        this._setAccess([operation], key(subject), allowed);
      };
    };
    const addFixedMethods = (middle: string, key: string): void => {
      methods[`get${middle}`] = function (this: ClassPermissions) {
        return this._getAccess(operation, key);
      };
      methods[`set${middle}`] = function (this: ClassPermissions, allowed: boolean) {
        this._setAccess([operation], key, allowed);
      };
    };
    addSubjectMethods("", keyOf);
    addSubjectMethods("Role", roleKey);
    addFixedMethods(`Public${name}Access`, PUBLIC);
    addFixedMethods(`${name}RequiresAuthentication`, "requiresAuthentication");
    methods[`get${name}PointerFields`] = function (this: ClassPermissions) {
      return this._getPointerFields(operation);
    };
    methods[`set${name}PointerFields`] = function (this: ClassPermissions, fields?: readonly string[]) {
      this._setPointerFields(operation, fields);
    };
  }
  Object.assign(Class.prototype, methods);
  // The methods that complete the type were added above.
  return Class as unknown as typeof CLP;
}

function setFields<K extends string>(
  target: Partial<Record<K, boolean | string[]>>,
  key: K,
  fields: readonly string[] | undefined,
  name: string,
): void {
  if (fields === undefined || fields === null || fields.length === 0) delete target[key];
  else if (isStringArray(fields)) target[key] = [...fields];
  else throw new TypeError(`${name} must be an array of strings or undefined.`);
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isAclSubject(from: object): from is Exclude<AclSubject, string> {
  return "className" in from && (from.className === "_User" || from.className === "_Role");
}

function keyOf(subject: AclSubject): string {
  if (typeof subject === "string") return subject;
  if (subject?.className === "_Role") return roleKey(subject);
  if (subject?.className !== "_User") throw new TypeError("userId must be a string.");
  if (!subject.id) throw new Error("Cannot get access for a Parse.User without an id.");
  return subject.id;
}

function roleKey(role: AclSubject): string {
  const name = typeof role === "string" ? role : role?.getName?.();
  if (typeof name !== "string") throw new TypeError("role must be a Parse.Role or a String");
  return `${ROLE_PREFIX}${name}`;
}

function invalidValue(): TypeError {
  return new TypeError("Tried to create an CLP with an invalid permission value.");
}

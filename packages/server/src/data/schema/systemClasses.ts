import type { ClassRules } from "../objects/classRules.ts";
import { PASSKEY_FIELDS } from "./passkeyFields.ts";

/**
 * The system classes that belong to no module, with their initial fields. Everything else about them is defined by their
 * class rules.
 */
export const SYSTEM_CLASS_FIELDS = {
  _EthAddress: {
    className: "_EthAddress",
    clientAccess: true,
    fields: { user: { type: "Pointer", targetClass: "_User" } },
  },
  _Installation: {
    className: "_Installation",
    clientAccess: true,
    fields: {
      installationId: { type: "String" },
      deviceToken: { type: "String" },
      channels: { type: "Array" },
      deviceType: { type: "String" },
      pushType: { type: "String" },
      GCMSenderId: { type: "String" },
      timeZone: { type: "String" },
      localeIdentifier: { type: "String" },
      badge: { type: "Number" },
      appVersion: { type: "String" },
      appName: { type: "String" },
      appIdentifier: { type: "String" },
      parseVersion: { type: "String" },
    },
    indexes: { installationId: { installationId: 1 }, deviceToken: { deviceToken: 1 } },
  },
  _Passkey: {
    className: "_Passkey",
    fields: PASSKEY_FIELDS,
    indexes: { owner: { owner: 1 } },
  },
  _Role: {
    className: "_Role",
    clientAccess: true,
    fields: {
      name: { type: "String" },
      users: { type: "Relation", targetClass: "_User" },
      roles: { type: "Relation", targetClass: "_Role" },
      gate: { type: "Object" },
    },
  },
  _Session: {
    className: "_Session",
    clientAccess: true,
    fields: {
      user: { type: "Pointer", targetClass: "_User" },
      createdWith: { type: "Object" },
      restricted: { type: "Boolean" },
      expiresAt: { type: "Date" },
      installationId: { type: "String" },
      userAgent: { type: "String" },
      lastUsedAt: { type: "Date" },
    },
    indexes: { user: { user: 1 } },
  },
  _User: {
    className: "_User",
    clientAccess: true,
    fields: {
      username: { type: "String" },
      email: { type: "String" },
      emailVerified: { type: "Boolean" },
      accounts: { type: "Array" },
      ethAddress: { type: "String" },
    },
  },
} as const satisfies Record<string, ClassRules>;

/** The system classes by name, those of modules included, for tools that work on a store without a server. */
export function systemClasses(ofModules: readonly ClassRules[] = []): ReadonlyMap<string, ClassRules> {
  return new Map([...Object.values(SYSTEM_CLASS_FIELDS), ...ofModules].map((each) => [each.className, each]));
}

/** Object ID of the only row of `_GlobalConfig`, and of `_GraphQLConfig`. */
export const CONFIG_OBJECT_ID = "1";

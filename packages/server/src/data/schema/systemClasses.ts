import type { ClassRules } from "../objects/rules.ts";

type SystemClass = Pick<ClassRules, "className" | "fields" | "indexes" | "clientAccess">;

/** The system classes with their initial fields. Everything else about them is defined by their class rules. */
export const SYSTEM_CLASS_FIELDS = {
  _GlobalConfig: {
    className: "_GlobalConfig",
    fields: { params: { type: "Object" }, masterKeyOnly: { type: "Object" } },
  },
  _Hooks: {
    className: "_Hooks",
    fields: {
      functionName: { type: "String" },
      className: { type: "String" },
      triggerName: { type: "String" },
      url: { type: "String" },
    },
  },
  _JobSchedule: {
    className: "_JobSchedule",
    fields: {
      jobName: { type: "String" },
      description: { type: "String" },
      params: { type: "String" },
      startAfter: { type: "String" },
      daysOfWeek: { type: "Array" },
      timeOfDay: { type: "String" },
      lastRun: { type: "Number" },
      repeatMinutes: { type: "Number" },
      cron: { type: "String" },
      catchUp: { type: "String" },
      deadlineMs: { type: "Number" },
    },
  },
  _JobStatus: {
    className: "_JobStatus",
    fields: {
      jobName: { type: "String" },
      source: { type: "String" },
      status: { type: "String" },
      message: { type: "String" },
      params: { type: "Object" },
      finishedAt: { type: "Date" },
    },
    indexes: { status: { status: 1 } },
  },
  _AddressSyncStatus: {
    className: "_AddressSyncStatus",
    fields: {
      address: { type: "String" },
      chain: { type: "String" },
      tables: { type: "String" },
      sync_historical: { type: "Boolean" },
      is_syncing: { type: "Boolean" },
      user: { type: "Pointer", targetClass: "_User" },
    },
    indexes: { address: { address: 1 } },
  },
  _ApiKey: {
    className: "_ApiKey",
    fields: {
      name: { type: "String" },
      limit: { type: "Number" },
      lastUsedAt: { type: "Date" },
      revokedAt: { type: "Date" },
    },
  },
  _ChainWatch: {
    className: "_ChainWatch",
    fields: {
      chainId: { type: "String" },
      address: { type: "String" },
      topic: { type: "String" },
      abi: { type: "Array" },
      tableName: { type: "String" },
      filter: { type: "Object" },
      sync_historical: { type: "Boolean" },
      confirmations: { type: "Number" },
      webhook: { type: "String" },
      description: { type: "String" },
    },
  },
  _ChainMessage: {
    className: "_ChainMessage",
    fields: {
      source: { type: "String" },
      sequence: { type: "Number" },
      url: { type: "String" },
      body: { type: "Object" },
      status: { type: "String" },
      attempts: { type: "Number" },
      nextAt: { type: "Date" },
      deliveredAt: { type: "Date" },
      answer: { type: "Number" },
      error: { type: "String" },
    },
    indexes: { waiting: { status: 1, source: 1, sequence: 1 } },
  },
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
  _Product: {
    className: "_Product",
    clientAccess: true,
    fields: {
      productIdentifier: { type: "String" },
      download: { type: "File" },
      downloadName: { type: "String" },
      icon: { type: "File" },
      order: { type: "Number" },
      title: { type: "String" },
      subtitle: { type: "String" },
    },
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
} as const satisfies Record<string, SystemClass>;

/** The system classes by name, for tools that work on a store without a server. */
export function systemClasses(): ReadonlyMap<string, SystemClass> {
  return new Map(Object.entries(SYSTEM_CLASS_FIELDS));
}

/** Object ID of the only row of `_GlobalConfig`. */
export const CONFIG_OBJECT_ID = "1";
